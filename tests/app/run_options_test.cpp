// The worker's options besides the run itself, and those that it refuses because they have no
// effect.

#include <set>

#include "core/planner/device_profile.h"
#include "tests/app/command_line.h"

namespace stashscope {
namespace run_options_test {

class RunOptionsTest : public CommandLine {
 protected:
  std::string model() const { return in_folder("model.onnx") + " --dim N=16"; }
  Outcome run_with(const std::string& arguments) const { return worker(model() + " " + arguments); }

  /// The digest lines that the worker prints.
  std::set<std::string> digests(const std::string& arguments) const {
    const Outcome outcome = run_with("--digest " + arguments);
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    std::set<std::string> lines;
    std::istringstream text(outcome.output);
    for (std::string line; std::getline(text, line);) {
      if (line.starts_with("digest ")) lines.insert(line);
    }
    return lines;
  }

  void expect_refused(const std::string& arguments, const std::string& reason) const {
    const Outcome outcome = run_with(arguments);
    EXPECT_EQ(outcome.status, 2) << arguments << ": " << outcome.errors;
    expect_one_line(outcome, "stashscope-run");
    EXPECT_NE(outcome.errors.find(reason), std::string::npos) << outcome.errors;
  }
};

TEST_F(RunOptionsTest, ADigestIsOfTheBitsOfEveryOutput) {
  const std::set<std::string> first = digests("");
  EXPECT_EQ(first.size(), 7U) << "the loss and six gradients";
  EXPECT_TRUE(std::ranges::any_of(
      first, [](const std::string& line) { return line.starts_with("digest loss "); }));
  EXPECT_EQ(digests("--level 1 --repeat 2"), first);
  save_negation(folder / "negation.onnx");
  const auto of_seed = [&](const std::string& seed) {
    return worker(in_folder("negation.onnx") + " --dim N=4 --digest --seed " + seed).output;
  };
  EXPECT_EQ(of_seed("1"), of_seed("1"));
  EXPECT_NE(of_seed("1"), of_seed("2"));
}

TEST_F(RunOptionsTest, FiguresGoIntoAFile) {
  const std::string file = in_folder("figures.json");
  ASSERT_EQ(run_with("--json " + file + " --repeat 2").status, 0);
  const auto figures = nlohmann::json::parse(read_file(file));
  EXPECT_EQ(figures["device"], "cpu");
  EXPECT_EQ(figures["peak_bytes"], figures["predicted_peak_bytes"]);
  EXPECT_EQ(figures["peak_with_workspace_bytes"], figures["peak_bytes"]);
  EXPECT_EQ(figures["repeats"], 2);
  EXPECT_GT(figures["steps"], 6);
  EXPECT_GT(figures["step_seconds"], 0.0);
  EXPECT_GT(figures["node_seconds_sum"], 0.0);
  EXPECT_TRUE(figures["remarks"].empty());
  EXPECT_FALSE(figures.contains("peak_reserved_bytes")) << "only GPUs have it";
}

TEST_F(RunOptionsTest, AProfileSaysWhatTheStepDidNotTell) {
  const std::string file = in_folder("here.json");
  const Outcome outcome = run_with("--write-profile " + file + " --profile T4-16GB");
  ASSERT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_NE(outcome.errors.find("T4-16GB: "), std::string::npos) << outcome.errors;
  EXPECT_NE(outcome.errors.find("memory_bytes"), std::string::npos) << outcome.errors;
  const DeviceProfile profile = load_profile(file);
  EXPECT_EQ(profile.name, "measured on cpu");
  EXPECT_EQ(profile.memory_bytes, load_profile("T4-16GB").memory_bytes);
  EXPECT_EQ(report(model() + " --profile " + file)["cost"]["profile"], "measured on cpu");
}

TEST_F(RunOptionsTest, WhatCouldHaveNoEffectIsRefused) {
  expect_refused("--learning-rate 0.1", "--update");
  expect_refused("--update", "add --optimizer");
  expect_refused("--update --optimizer sgd", "is for GPUs");
  expect_refused("--tf32", "is for GPUs");
  expect_refused("--no-trace", "is for GPUs");
  expect_refused("--memory-limit 1GiB", "is for GPUs");
  expect_refused("--memory-limit 0", "--memory-limit");
  expect_refused("--memory-limit many", "--memory-limit");
  expect_refused("--digest --write-measurement " + in_folder("m"), "--digest");
  expect_refused("--digest --write-profile " + in_folder("p"), "--digest");
  expect_refused("--digest --stream", "--digest");
  expect_refused("--json " + in_folder("j") + " --write-measurement " + in_folder("m"), "--json");
  expect_refused("--json " + in_folder("j") + " --write-profile " + in_folder("p"), "--json");
  expect_refused("--no-trace --trace " + in_folder("t"), "--trace");
  for (const char* const file : {"m", "p", "j", "t"}) EXPECT_FALSE(fs::exists(folder / file));
}

TEST_F(RunOptionsTest, NothingIsWrittenOverWhatWasReadOrWritten) {
  const std::string before = read_file(folder / "model.onnx");
  for (const char* const option : {"--json", "--write-measurement", "--write-profile"}) {
    expect_refused(option + (" " + in_folder("model.onnx")), "would overwrite the model");
  }
  EXPECT_EQ(read_file(folder / "model.onnx"), before);
  expect_refused("--json " + in_folder("f") + " --trace " + in_folder("f"), "would overwrite");
  expect_refused("--write-measurement " + in_folder("f") + " --write-profile " + in_folder("f"),
                 "would overwrite");
}

/// The step is so large that an attempt to run it would give another error.
TEST_F(RunOptionsTest, WhatCannotBeWrittenIsSaidBeforeAnythingRuns) {
  const std::string huge = in_folder("model.onnx") + " --dim N=1000000000000 ";
  const std::string nowhere = in_folder("no/such/file");
  ASSERT_EQ(worker(huge).status, 3);
  for (const char* const option : {"--json", "--trace", "--write-measurement", "--write-profile"}) {
    const Outcome outcome = worker(huge + option + (" " + nowhere));
    EXPECT_EQ(outcome.status, 1) << option << outcome.errors;
    EXPECT_NE(outcome.errors.find("no/such/file"), std::string::npos) << outcome.errors;
  }
  for (const char* const option :
       {"--out", "--save-model", "--save-session", "--export-env", "--svg"}) {
    const Outcome outcome = stashscope("--batch --device cpu " + huge + option + (" " + nowhere));
    EXPECT_EQ(outcome.status, 1) << option << outcome.errors;
    EXPECT_EQ(outcome.output, "") << option;
  }
  const Outcome compared = stashscope("--batch " + model() + " --compare " +
                                      in_folder("model.onnx") + " --out " + nowhere);
  EXPECT_EQ(compared.status, 1) << compared.errors;
}

TEST_F(RunOptionsTest, ARunThatFailsLeavesNoPartOfItsFiles) {
  const std::string huge = in_folder("model.onnx") + " --dim N=1000000000000 --json ";
  write_file_atomically(folder / "old.json", "old");
  EXPECT_EQ(worker(huge + in_folder("old.json")).status, 3);
  EXPECT_EQ(read_file(folder / "old.json"), "old");
  EXPECT_EQ(worker(huge + in_folder("new.json")).status, 3);
  for (const auto& entry : fs::directory_iterator(folder)) {
    EXPECT_EQ(entry.path().filename().string().find("new.json"), std::string::npos) << entry;
  }
}

TEST_F(RunOptionsTest, AFirstRunGoesBeforeThoseThatAreTimed) {
  const auto warm_ups = [&](const std::string& arguments) {
    const std::string stream = run_with("--stream " + arguments).output;
    std::size_t count = 0;
    for (auto at = stream.find("N warm-up\n"); at != std::string::npos;
         at = stream.find("N warm-up\n", at + 1)) {
      ++count;
    }
    return count;
  };
  EXPECT_EQ(warm_ups(""), 2U) << "one for each variant";
  EXPECT_EQ(warm_ups("--repeat 3"), 2U);
  EXPECT_EQ(warm_ups("--warm-up 0"), 0U);
  EXPECT_EQ(warm_ups("--warm-up 2"), 4U);
}

}  // namespace run_options_test
}  // namespace stashscope
