// Repeated runs, measurement files, and steps that come over standard input.

#include "core/study/files/loaded_model.h"
#include "core/study/files/step_bundle.h"
#include "core/study/measured/measurement_file.h"
#include "tests/app/command_line.h"
#include "tests/support/environment.h"
#include "tests/support/processes.h"
#include "tests/support/refusal.h"
#include "tests/support/stream_text.h"

namespace stashscope {
namespace measurements_test {

/// Measures with a worker on "another machine", whose output goes through a filter.
StudyMeasurements measured_on_box(const std::filesystem::path& folder, const Study& study,
                                  const RunCounts& counts, const std::string& filter) {
  const std::string worker = std::string(STASHSCOPE_WORKER) + " - --stream --warm-up " +
                             std::to_string(counts.warm_up) + " --repeat " +
                             std::to_string(counts.repeats);
  const auto ssh = test::script(folder / "ssh", worker + " | " + filter);
  const test::Environment named("STASHSCOPE_SSH", ssh.string());
  return measure_in_worker(study, folder / "model.onnx", {counts, parse_remote_host("box")},
                           nullptr, Progress());
}

std::shared_ptr<const Study> study_of(const fs::path& model) {
  const LoadedModel loaded =
      load_model_or_session(model, [](Choices& choices) { choices.dims["N"] = 64; });
  return compute_study(loaded.model, loaded.session.choices, nullptr, Progress());
}

TEST_F(CommandLine, ARepeatedRunSaysItsTime) {
  const std::string arguments = in_folder("model.onnx") + " --dim N=64";
  EXPECT_EQ(worker(arguments).output.find("medians"), std::string::npos);
  const Outcome repeated = worker(arguments + " --warm-up 1 --repeat 3");
  EXPECT_EQ(repeated.status, 0) << repeated.errors;
  EXPECT_NE(repeated.output.find("medians over 3 runs"), std::string::npos) << repeated.output;
  EXPECT_NE(repeated.output.find("differs by at most 0 B"), std::string::npos) << repeated.output;
  for (const char* wrong : {" --repeat 0", " --repeat 1001", " --warm-up -1", " --repeat x"}) {
    EXPECT_EQ(worker(arguments + wrong).status, 2) << wrong;
  }
}

TEST_F(CommandLine, AMeasurementIsWrittenForTheWindow) {
  const std::string file = in_folder("m.json");
  const Outcome outcome =
      worker(in_folder("model.onnx") + " --dim N=64 --repeat 3 --write-measurement " + file);
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  const auto study = study_of(folder / "model.onnx");
  const StudyMeasurements measured = load_measurements(file, *study);
  EXPECT_EQ(measured.baseline->repeats, 3);
  EXPECT_EQ(largest_error(*study, measured), 0);
}

TEST_F(CommandLine, AMeasurementIsNotWrittenOverTheModel) {
  const std::string before = read_file(folder / "model.onnx");
  const Outcome outcome =
      worker(in_folder("model.onnx") + " --dim N=4 --write-measurement " + in_folder("model.onnx"));
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(read_file(folder / "model.onnx"), before);
}

TEST_F(CommandLine, AFullDiskIsSaidByAStream) {
  const Outcome outcome = run("sh", "-c '" STASHSCOPE_WORKER " " + in_folder("model.onnx") +
                                        " --dim N=8 --stream --repeat 100 >/dev/full'");
  EXPECT_EQ(outcome.status, 3);
  EXPECT_NE(outcome.errors.find("No space left"), std::string::npos) << outcome.errors;
}

TEST_F(CommandLine, RepeatedRunsKeepNoOutputsOfTheOnesBefore) {
  test::ModelBuilder model;
  model.input("x", {"N", 2}).node("Neg", {"x"}, {"y"}).node("Exp", {"y"}, {"z"});
  save_model(model.output("y").output("z").build(), folder / "outputs.onnx");
  const auto resident_with = [&](const char* counts) {
    const std::string file = in_folder("outputs.json");
    const Outcome outcome = worker(in_folder("outputs.onnx") + " --dim N=8000000" + counts +
                                   " --write-measurement " + file);
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    return nlohmann::json::parse(read_file(file))["current"]["peak_resident_bytes"]
        .get<std::int64_t>();
  };
  constexpr std::int64_t of_an_output = 64'000'000;
  EXPECT_LT(resident_with(" --warm-up 1"), resident_with("") + of_an_output);
}

TEST_F(CommandLine, AWorkerThatRunsAnotherStepIsFound) {
  const auto study = study_of(folder / "model.onnx");
  save_model(test::deep_perceptron(7).build(), folder / "model.onnx");
  const std::string said = test::refusal(ErrorKind::run, [&] {
    measure_in_worker(*study, folder / "model.onnx", {}, nullptr, Progress());
  });
  EXPECT_NE(said.find("another step"), std::string::npos) << said;
}

TEST_F(CommandLine, AWorkerThatFindsOtherSizesIsFound) {
  const auto study = study_of(folder / "model.onnx");
  save_model(test::deep_perceptron(6, 32).build(), folder / "model.onnx");
  const auto wider = study_of(folder / "model.onnx");
  ASSERT_EQ(wider->prepared->fingerprint, study->prepared->fingerprint) << "the same nodes";
  const std::string said = test::refusal(ErrorKind::run, [&] {
    measure_in_worker(*study, folder / "model.onnx", {}, nullptr, Progress());
  });
  EXPECT_NE(said.find("another step"), std::string::npos) << said;
}

TEST_F(CommandLine, AWorkerThatDoesNotSayItsStepIsRefused) {
  const auto study = study_of(folder / "model.onnx");
  const auto measured_through = [&](const std::string& filter) {
    return measured_on_box(folder, *study, {}, filter);
  };
  EXPECT_EQ(largest_error(*study, measured_through("cat")), 0);
  const std::string said =
      test::refusal(ErrorKind::run, [&] { measured_through("grep -v \"^G \""); });
  EXPECT_NE(said.find("does not say which step it runs"), std::string::npos) << said;
}

TEST_F(CommandLine, TheTimeOfTheStepAndRemarksComeBehindTheRunsOfEachVariant) {
  const auto study = study_of(folder / "model.onnx");
  const auto measured_through = [&](const std::string& filter) {
    return measured_on_box(folder, *study, {1, 3}, filter);
  };
  const StudyMeasurements all = measured_through("cat");
  for (const Measurement* const run : {&*all.baseline, &all.current}) {
    EXPECT_GT(run->step_seconds, 0);
    EXPECT_TRUE(run->remarks.empty());
  }
  const StudyMeasurements old = measured_through("grep -v \"^T \"");
  EXPECT_EQ(old.current.step_seconds, 0) << "older workers do not send it";
  EXPECT_EQ(old.current.repeats, 3);

  const StudyMeasurements remarked = measured_through(
      "sed -e 's/^T .*/T 0.25\\nM times were taken node by node/' -e 's/^Z/M only here\\nZ/'");
  EXPECT_EQ(remarked.baseline->step_seconds, 0.25);
  EXPECT_EQ(remarks_on(*study, remarked),
            (std::vector<std::string>{"Both runs: times were taken node by node",
                                      "With plans: only here"}));
  for (const char* broken : {"T ", "T x", "T 1 2", "T -1", "T inf"}) {
    const std::string said = test::refusal(
        ErrorKind::run, [&] { measured_through("sed -e 's/^T .*/" + std::string(broken) + "/'"); });
    EXPECT_NE(said.find("broken line"), std::string::npos) << broken << ": " << said;
  }
}

TEST_F(CommandLine, AStepThatFitsOnlyWithItsPlansIsMeasuredWithoutTheOther) {
  const auto study = study_of(folder / "model.onnx");
  const auto measured_through = [&](const std::string& filter) {
    return measured_on_box(folder, *study, {}, filter);
  };
  const StudyMeasurements measured = measured_through("sed -e '0,/^T /s/^T .*/O node x: no room/'");
  EXPECT_FALSE(measured.baseline);
  EXPECT_EQ(measured.current.live_bytes, study->current->timeline.live_bytes);
  EXPECT_EQ(
      remarks_on(*study, measured),
      std::vector<std::string>{"Note: the step without plans was not measured: node x: no room"});
  const std::string said =
      test::refusal(ErrorKind::run, [&] { measured_through("sed -e 's/^T .*/O no room/'"); });
  EXPECT_NE(said.find("broken line"), std::string::npos) << said;
}

TEST_F(CommandLine, AMeasurementThatCouldNotBeOpenedAgainIsNotTaken) {
  const auto study = study_of(folder / "model.onnx");
  const RunRequest there{{}, parse_remote_host("box")};
  for (const char* const broken :
       {"s/^A 0 [0-9]*/A 0 -1/", "s/^S 0 [0-9]* [0-9]*/S 0 0 4611686018427387904/",
        "s/^E 0 \\([0-9]*\\) \\([0-9]*\\) [^ ]*/E 0 \\1 \\2 nan/",
        "s/^S 0 \\([0-9]*\\) \\([0-9]*\\) [^ ]*/S 0 \\1 \\2 1000/", "/^S 1 /d"}) {
    const auto ssh = test::script(
        folder / "ssh", std::string(STASHSCOPE_WORKER) + " - --stream | sed -e '" + broken + "'");
    const test::Environment named("STASHSCOPE_SSH", ssh.string());
    const std::string said = test::refusal(ErrorKind::run, [&] {
      measure_in_worker(*study, folder / "model.onnx", there, nullptr, Progress());
    });
    EXPECT_NE(said.find("the worker sent"), std::string::npos) << broken << ": " << said;
  }
}

TEST_F(CommandLine, AStepComesOverStandardInput) {
  const LoadedModel loaded = load_model_or_session(folder / "model.onnx", nullptr);
  Session session = loaded.session;
  session.choices.dims["N"] = 8;
  write_file_atomically(folder / "stream", test::stream_of(bundle_step(session, *loaded.model)));
  fs::create_directory(folder / "there");
  const std::string command = "cat " + in_folder("stream") + " | TMPDIR=" + in_folder("there") +
                              " " STASHSCOPE_WORKER " - --stream";
  const Outcome outcome = run("sh", "-c '" + command + "'");
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_NE(outcome.output.find("\nZ\n"), std::string::npos);
  EXPECT_TRUE(fs::is_empty(folder / "there"));
  const Outcome homeless = run("sh", "-c 'TMPDIR=/none " STASHSCOPE_WORKER " - --stream'");
  EXPECT_EQ(homeless.status, 1);
  EXPECT_NE(homeless.errors.find("set TMPDIR"), std::string::npos) << homeless.errors;
  const Outcome broken = worker("- --stream");
  EXPECT_EQ(broken.status, 1);
  expect_one_line(broken, "stashscope-run");
}

}  // namespace measurements_test
}  // namespace stashscope
