// Repeated runs, files of measurements, and steps that come over standard input.

#include "core/study/measurement_file.h"
#include "core/study/step_bundle.h"
#include "core/study/subject.h"
#include "tests/app/command_line.h"
#include "tests/support/stream_text.h"

namespace stashscope {
namespace {

std::shared_ptr<const Study> study_of(const fs::path& model) {
  const Subject subject = load_subject(model, [](Choices& choices) { choices.dims["N"] = 64; });
  return compute_study(subject.model, subject.session.choices, nullptr, Progress());
}

TEST_F(CommandLine, ARepeatedRunSaysItsTime) {
  const std::string arguments = in_folder("model.onnx") + " --dim N=64";
  EXPECT_EQ(worker(arguments).output.find("medians"), std::string::npos);
  const Outcome repeated = worker(arguments + " --warm-up 1 --repeat 3");
  EXPECT_EQ(repeated.status, 0) << repeated.errors;
  EXPECT_NE(repeated.output.find("medians over 3 runs; largest difference between them: 0 B"),
            std::string::npos)
      << repeated.output;
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
  EXPECT_EQ(measured.baseline.repeats, 3);
  EXPECT_EQ(largest_error(*study, measured), 0);
}

TEST_F(CommandLine, AMeasurementIsNotWrittenOverTheModel) {
  const std::string before = read_file(folder / "model.onnx");
  const Outcome outcome =
      worker(in_folder("model.onnx") + " --dim N=4 --write-measurement " + in_folder("model.onnx"));
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(read_file(folder / "model.onnx"), before);
}

TEST_F(CommandLine, AStepComesOverStandardInput) {
  const Subject subject = load_subject(folder / "model.onnx", nullptr);
  Session session = subject.session;
  session.choices.dims["N"] = 8;
  write_file_atomically(folder / "stream", test::stream_of(bundle_step(session, *subject.model)));
  fs::create_directory(folder / "there");
  const std::string command = "cat " + in_folder("stream") + " | TMPDIR=" + in_folder("there") +
                              " " STASHSCOPE_WORKER " - --stream";
  const Outcome outcome = run("sh", "-c '" + command + "'");
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_NE(outcome.output.find("\nZ\n"), std::string::npos);
  EXPECT_TRUE(fs::is_empty(folder / "there"));
  const Outcome broken = worker("- --stream");
  EXPECT_EQ(broken.status, 1);
  expect_one_line(broken, "stashscope-run");
}

}  // namespace
}  // namespace stashscope
