// Planning from the command line: budgets, curves, the plans that are switched on, and wrong usage.

#include "core/base/text.h"
#include "tests/app/command_line.h"

namespace stashscope {
namespace planning_test {

const std::string few = " --time-limit 0 --move-limit 20000";

class Planning : public CommandLine {
 protected:
  std::string model() const { return in_folder("model.onnx") + " --dim N=64"; }
  std::int64_t peak(const nlohmann::json& of, const char* variant) const {
    return of["memory"][variant]["peak_bytes"];
  }
  std::string budget(double share) const {
    const auto whole = static_cast<double>(peak(report(model()), "baseline"));
    return " --budget " + std::to_string(static_cast<std::int64_t>(share * whole));
  }
};

TEST_F(Planning, ABudgetIsMetAtEveryGrainAndRunsAsPredicted) {
  for (const std::string grain : {"cluster", "node", "sequence"}) {
    const auto found = report(model() + budget(0.8) + few + " --device cpu --grain " + grain);
    const auto& answer = found["budget"];
    EXPECT_EQ(answer["grain"], grain);
    EXPECT_TRUE(answer["feasible"].get<bool>());
    EXPECT_LE(answer["peak_bytes"], answer["budget_bytes"]);
    EXPECT_EQ(answer["peak_bytes"], peak(found, "current"));
    EXPECT_GT(answer["extra_seconds"], 0.0);
    EXPECT_LE(answer["least_extra_seconds"], answer["extra_seconds"]);
    EXPECT_EQ(found["measured"]["max_abs_error_bytes"], 0) << grain;
    EXPECT_EQ(answer["repeated_nodes"] > 0, grain != "cluster");
    EXPECT_EQ(answer["config"] == "", grain != "cluster");
  }
}

TEST_F(Planning, AJointPlanExplainsEachChoiceAndRunsAsPredicted) {
  const std::string asked = model() + budget(0.45) + few + " --grain joint";
  const auto found =
      report(asked + " --device cpu --save-session " + in_folder("joint.stashscope"));
  const auto& answer = found["budget"];
  EXPECT_EQ(answer["grain"], "joint");
  EXPECT_TRUE(answer["feasible"].get<bool>());
  EXPECT_TRUE(answer["complete"].get<bool>());
  EXPECT_EQ(answer["peak_bytes"], peak(found, "current"));
  EXPECT_LE(answer["floor_bytes"], answer["peak_bytes"]);
  EXPECT_LE(answer["least_step_seconds"], answer["step_seconds"]);
  EXPECT_GT(answer["combinations"], 1);
  EXPECT_EQ(found["measured"]["max_abs_error_bytes"], 0);
  std::size_t what_ifs = 0;
  ASSERT_FALSE(answer["explanation"].empty());
  for (const auto& each : answer["explanation"]) {
    EXPECT_FALSE(each["sentence"].get<std::string>().empty());
    EXPECT_TRUE(each["tensor"].is_string());
    EXPECT_TRUE(each["saving_bytes"].is_number_integer());
    EXPECT_TRUE(each["seconds"].is_number());
    what_ifs += each["kind"] == "what_if" && each["made"] == true ? 1 : 0;
  }
  EXPECT_EQ(answer["what_ifs"].size(), what_ifs);
  const auto again = report(in_folder("joint.stashscope"));
  EXPECT_EQ(peak(again, "current"), answer["peak_bytes"]);
  for (const std::string format : {"text", "html"}) {
    const Outcome outcome = stashscope("--batch " + asked + " --format " + format);
    const std::string first = answer["explanation"][0]["sentence"];
    EXPECT_NE(outcome.output.find(first.substr(0, first.find(':'))), std::string::npos) << format;
  }
}

TEST_F(Planning, AJointPlanThatIsNotMetIsStatus4) {
  const Outcome outcome = stashscope("--batch " + model() + " --budget 5KiB --grain joint" + few);
  EXPECT_EQ(outcome.status, 4) << outcome.errors;
  EXPECT_NE(outcome.output.find("cannot be met"), std::string::npos) << outcome.output;
}

TEST_F(Planning, ABudgetThatCannotBeMetSaysWhy) {
  const Outcome outcome = stashscope("--batch " + model() + " --budget 5KiB" + few);
  EXPECT_EQ(outcome.status, 4);
  EXPECT_NE(outcome.output.find("cannot be met"), std::string::npos);
  EXPECT_NE(outcome.output.find("has a peak below"), std::string::npos);
  EXPECT_NE(outcome.output.find(" persistent ("), std::string::npos);
}

TEST_F(Planning, AFewBytesAreNotedAsGibibytesThatWereMeant) {
  const auto notes = [&](const std::string& options) {
    return stashscope("--batch " + model() + options + few).errors;
  };
  EXPECT_NE(notes(" --budget 24").find("--budget 24: 24 bytes; write 24GiB"), std::string::npos);
  EXPECT_NE(notes(" --budget=-4").find("--budget -4: 4 bytes; write -4GiB"), std::string::npos);
  EXPECT_NE(notes(" --device-memory 24").find("--device-memory 24: 24 bytes; write 24GiB"),
            std::string::npos);
  EXPECT_NE(notes(" --fit N --memory 1").find("--memory 1: 1 byte; write 1GiB"), std::string::npos);
  for (const char* const meant : {" --budget 24GiB", " --budget 24B", " --budget 2000000"}) {
    EXPECT_EQ(notes(meant).find("if you mean GiB"), std::string::npos) << meant;
  }
}

TEST_F(Planning, APlannedSequenceIsSavedWithSessionAndModel) {
  const auto planned =
      report(model() + budget(0.8) + few + " --grain node --save-session " +
             in_folder("s.stashscope") + " --save-model " + in_folder("planned.onnx"));
  const auto again = report(in_folder("s.stashscope"));
  EXPECT_EQ(peak(again, "current"), peak(planned, "current"));
  EXPECT_EQ(again["orders"][0]["name"], "planned");
  const auto model = report(in_folder("planned.onnx") + " --dim N=64");
  EXPECT_EQ(peak(model, "baseline"), peak(planned, "current"));
  // Another plan replaces the sequence.
  const auto ticked = report(in_folder("s.stashscope") + " --level 1");
  EXPECT_NE(ticked["orders"][0]["name"], "planned");
}

TEST_F(Planning, ClustersAreExportedAsConfigStrings) {
  const auto planned = report(model() + budget(0.8) + few + " --export-env " + in_folder("env.sh"));
  const std::string config = planned["budget"]["config"];
  EXPECT_FALSE(config.empty());
  const auto exported = nlohmann::json::parse(read_file(in_folder("env.sh.json")));
  EXPECT_EQ(exported, nlohmann::json::array({config}));
  const auto typed = report(model() + " --probe " + planned["budget"]["probe"].get<std::string>() +
                            " --plan '" + config + "'");
  EXPECT_EQ(peak(typed, "current"), peak(planned, "current"));
}

TEST_F(Planning, WhatFitsIsLookedForWithThePlansOfTheBudget) {
  const auto found = report(model() + budget(0.8) + few + " --grain node --fit N --memory 1MiB");
  const std::int64_t before = found["fit"]["baseline"]["largest"]["value"];
  EXPECT_GT(found["fit"]["current"]["largest"]["value"], before);
  // --dim sets the size of the report; it does not limit the search.
  EXPECT_EQ(found["dims"]["N"], 64);
  EXPECT_NE(before, 64);
}

TEST_F(Planning, WhatFitsIsAlsoLookedForWithAPlanForEachSize) {
  const std::string asked = model() + few + " --fit N --memory 1MiB";
  EXPECT_FALSE(report(asked)["fit"].contains("replanned"));
  for (const std::string grain : {"cluster", "node"}) {
    const auto fit = report(asked + " --fit-replan --grain " + grain)["fit"];
    const auto& replanned = fit["replanned"];
    const auto& largest = replanned["largest"];
    EXPECT_EQ(replanned["grain"], grain);
    EXPECT_GT(largest["value"], fit["current"]["largest"]["value"]) << grain;
    EXPECT_LE(largest["peak_bytes"], 1 << 20);
    EXPECT_GT(replanned["next"]["value"], largest["value"]);
    EXPECT_EQ(replanned["at_least"], replanned["next"]["bound_bytes"].is_null());
  }
}

TEST_F(Planning, ThePlanOfTheLargestSizeHasItsPeak) {
  const auto fit = report(model() + few + " --fit N --memory 1MiB --fit-replan")["fit"];
  const auto& largest = fit["replanned"]["largest"];
  std::string passes;
  for (const std::string pass : largest["passes"]) passes += " --pass " + pass;
  const auto there = report(in_folder("model.onnx") +
                            " --dim N=" + std::to_string(largest["value"].get<std::int64_t>()) +
                            passes + " --probe " + largest["probe"].get<std::string>() +
                            " --plan '" + largest["config"].get<std::string>() + "'");
  EXPECT_EQ(peak(there, "current"), largest["peak_bytes"]);
}

TEST_F(Planning, TheTextSaysWhetherTheNextSizeWasDecided) {
  const Outcome outcome = stashscope("--batch " + model() + " --fit N --memory 1MiB --fit-replan" +
                                     " --time-limit 0 --move-limit 1");
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_NE(outcome.output.find("With a plan made for each size: at least "), std::string::npos)
      << outcome.output;
  EXPECT_NE(outcome.output.find(" was not decided in 1 move;"), std::string::npos);
  EXPECT_EQ(stashscope("--batch " + model() + " --fit-replan").status, 2) << "needs --fit";
}

TEST_F(Planning, ASequenceThatNoConfigCanExpressIsNotExportedSilently) {
  const Outcome outcome = stashscope("--batch " + model() + budget(0.8) + few +
                                     " --grain node --export-env " + in_folder("env.sh"));
  EXPECT_EQ(outcome.status, 0);
  EXPECT_NE(outcome.errors.find("planned sequence"), std::string::npos);
  EXPECT_NE(read_file(in_folder("env.sh")).find("planned sequence"), std::string::npos);
}

TEST_F(Planning, AStepWithoutNodesNeedsNoPlan) {
  test::ModelBuilder m;
  save_model(m.input("x", {4}).output("x").build(), folder / "empty.onnx");
  for (const std::string grain : {"cluster", "node", "sequence"}) {
    for (const std::string asked : {" --budget 1", " --budget 1KiB", " --pareto 4"}) {
      const Outcome outcome =
          stashscope("--batch " + in_folder("empty.onnx") + asked + few + " --grain " + grain);
      EXPECT_EQ(outcome.status, asked == " --budget 1" ? 4 : 0) << asked << outcome.errors;
    }
  }
}

TEST_F(Planning, ASearchedOrderIsThatOfTheAnswer) {
  for (const double share : {0.9, 0.75}) {
    const auto found = report(model() + budget(share) + few + " --order minimal");
    EXPECT_EQ(found["budget"]["peak_bytes"], peak(found, "current")) << share;
    EXPECT_TRUE(found["budget"]["feasible"].get<bool>());
  }
}

TEST_F(Planning, ACurveFallsWithThePeak) {
  const auto curve = report(model() + " --pareto 5 --grain node" + few)["pareto"];
  ASSERT_GE(curve.size(), 3U);
  for (std::size_t i = 1; i < curve.size(); ++i) {
    EXPECT_GT(curve[i]["peak_bytes"], curve[i - 1]["peak_bytes"]);
    EXPECT_LT(curve[i]["extra_seconds"], curve[i - 1]["extra_seconds"]);
  }
  const Outcome text = stashscope("--batch " + model() + " --pareto 5" + few);
  EXPECT_NE(text.output.find("Peak against extra time:"), std::string::npos);
}

TEST_F(Planning, WrongUsageIsStatus2) {
  for (const char* arguments :
       {"--budget 12apples", "--budget -x", "--budget 0", "--budget ''", "--grain node",
        "--budget 1GiB --seed -1", "--budget 1GiB --grain atom", "--budget 1GiB --time-limit 0",
        "--budget 1GiB --time-limit -1", "--pareto 5 --grain joint", "--budget 1GiB --allow-lossy",
        "--budget 1GiB --grain joint --minimise operations",
        "--budget 1GiB --grain joint --allocator pytorch --fits reserved",
        "--fit N --memory 1MiB --fit-replan --grain joint", "--pareto 1", "--pareto two",
        "--budget"}) {
    const Outcome outcome =
        stashscope("--batch " + in_folder("model.onnx") + " " + std::string(arguments));
    EXPECT_EQ(outcome.status, 2) << arguments;
    EXPECT_FALSE(outcome.errors.empty());
    EXPECT_TRUE(outcome.output.empty()) << outcome.output;
  }
  EXPECT_EQ(stashscope(in_folder("model.onnx") + " --budget 1GiB").status, 2) << "needs --batch";
}

}  // namespace planning_test
}  // namespace stashscope
