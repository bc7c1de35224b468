// Steps in micro-batches, as both programs show and run them.

#include "command_line.h"

namespace stashscope {
namespace micro_batches_test {

class MicroBatchesOption : public CommandLine {
 protected:
  std::string model() const { return in_folder("model.onnx"); }
  nlohmann::json report_of(const std::string& arguments) const {
    return report(model() + " " + arguments);
  }
};

TEST_F(MicroBatchesOption, NeedsLessMemoryAndNeverLessTime) {
  const auto whole = report_of("--dim N=512");
  std::int64_t peak = whole["memory"]["baseline"]["peak_bytes"];
  for (const char* count : {"2", "4", "8"}) {
    const auto split = report_of(std::string("--dim N=512 --what-if micro=") + count);
    const std::int64_t less = split["memory"]["baseline"]["peak_bytes"];
    EXPECT_LT(less, peak) << count;
    peak = less;
    EXPECT_GE(split["cost"]["baseline_seconds"], whole["cost"]["baseline_seconds"]) << count;
    EXPECT_GE(split["cost"]["flops"], whole["cost"]["flops"]) << count;
    const auto what_if = split["what_if"].at(0);
    EXPECT_EQ(what_if["name"], "micro");
    EXPECT_EQ(what_if["value"], count);
    EXPECT_EQ(what_if["found"], 2);
    EXPECT_TRUE(what_if["stopped_by"].empty());
    EXPECT_EQ(what_if["saving_at_peak_bytes"],
              whole["memory"]["baseline"]["peak_bytes"].get<std::int64_t>() - less);
    EXPECT_GT(what_if["seconds"], 0);
  }
}

TEST_F(MicroBatchesOption, SavesAFormulaOfTheWholeBatch) {
  const auto what_if = report_of("--dim N=64 --what-if micro=4")["what_if"].at(0);
  const std::string saved = what_if["saving_symbolic"];
  EXPECT_NE(saved.find("N"), std::string::npos) << saved;
  EXPECT_EQ(saved.find("/"), std::string::npos) << saved;
}

TEST_F(MicroBatchesOption, RefusesABatchThatItDoesNotDivideAndSaysWhichItDivides) {
  const Outcome outcome = stashscope("--batch " + model() + " --dim N=6 --what-if micro=4");
  EXPECT_EQ(outcome.status, 2);
  expect_one_line(outcome, "stashscope");
  for (const char* text : {"'N'", "is 6", "4 micro-batches", "4 or 8", "2 or 3 or 6"}) {
    EXPECT_NE(outcome.errors.find(text), std::string::npos) << text << outcome.errors;
  }
}

TEST_F(MicroBatchesOption, AssumesABatchThatItDivides) {
  const auto split = report_of("--what-if micro=4");
  EXPECT_EQ(split["dims"]["N"], 4);
  EXPECT_EQ(split["what_if"].at(0)["saving_at_peak_bytes"],
            report_of("--dim N=4")["memory"]["baseline"]["peak_bytes"].get<std::int64_t>() -
                split["memory"]["baseline"]["peak_bytes"].get<std::int64_t>())
      << "both steps have the same batch";
}

TEST_F(MicroBatchesOption, LeavesOtherAssumedSizesAsTheyAre) {
  test::ModelBuilder m;
  m.input("x", {"N", "S", 4}).weight("w", {4, 4}).node("MatMul", {"x", "w"}, {"y"});
  m.node("ReduceMean", {"y"}, {"loss"}, {{"keepdims", std::int64_t{0}}}).output("loss");
  save_model(m.build(), in_folder("long.onnx"));
  const auto whole = report(in_folder("long.onnx"));
  const auto split = report(in_folder("long.onnx") + " --what-if micro=4");
  EXPECT_EQ(split["dims"]["S"], whole["dims"]["S"]);
  EXPECT_EQ(split["dims"]["N"], 4);
}

TEST_F(MicroBatchesOption, CannotReleaseGradients) {
  const Outcome outcome =
      stashscope("--batch " + model() + " --dim N=8 --what-if micro=2 --release-gradients");
  EXPECT_EQ(outcome.status, 2);
  expect_one_line(outcome, "stashscope");
  EXPECT_NE(outcome.errors.find("released gradients"), std::string::npos) << outcome.errors;
}

TEST_F(MicroBatchesOption, IsOfferedForTheBatchAndSaysWhatStopsIt) {
  const auto offered = report_of("--dim N=4 --list-what-ifs")["what_if_offers"];
  std::map<std::string, nlohmann::json> by_value;
  for (const auto& each : offered) {
    if (each["name"] == "micro") by_value[each["value"]] = each;
  }
  ASSERT_EQ(by_value.size(), 3U) << offered.dump();
  EXPECT_EQ(by_value["2"]["found"], 2);
  EXPECT_EQ(by_value["8"]["found"], 0);
  EXPECT_EQ(by_value["8"]["stopped_by"].at(0)["node"], "dimension 'N'");
  const auto assumed = report_of("--list-what-ifs")["what_if_offers"];
  for (const auto& each : assumed) {
    if (each["name"] != "micro") continue;
    EXPECT_EQ(each["found"], 0) << "the assumed batch is 1";
  }
}

/// The lines `digest NAME HASH` of a run.
std::string digests(const Outcome& outcome) {
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  return outcome.output.substr(outcome.output.find("digest"));
}

TEST_F(MicroBatchesOption, RunsWithThePredictedMemory) {
  for (const char* more : {"", " --level 1 --optimizer adam", " --fuse dataflow"}) {
    const Outcome outcome = worker(model() + " --dim N=16 --what-if micro=4 --digest" + more);
    ASSERT_EQ(outcome.status, 0) << outcome.errors;
    EXPECT_NE(outcome.output.find("largest difference 0 B"), std::string::npos) << outcome.output;
  }
}

TEST_F(MicroBatchesOption, GivesTheSameResultsInEveryRun) {
  const std::string arguments = model() + " --dim N=16 --what-if micro=4 --digest";
  EXPECT_EQ(digests(worker(arguments)), digests(worker(arguments + " --repeat 3")));
}

TEST_F(MicroBatchesOption, ComesBackFromASession) {
  const std::string session = in_folder("step.json");
  const std::string dims = " --dim N=16 --what-if micro=4";
  ASSERT_EQ(stashscope("--batch " + model() + dims + " --save-session " + session).status, 0);
  EXPECT_EQ(report(session)["memory"]["baseline"]["peak_bytes"],
            report_of(dims)["memory"]["baseline"]["peak_bytes"]);
}

}  // namespace micro_batches_test
}  // namespace stashscope
