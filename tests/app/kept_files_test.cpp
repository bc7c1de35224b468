// The user's files are safe: no output overwrites an input.

#include "tests/app/command_line.h"

namespace stashscope {
namespace kept_files_test {

TEST_F(CommandLine, NothingThatWasReadIsWrittenOver) {
  const std::string model = in_folder("model.onnx");
  const std::string before = read_file(model);
  for (const std::string outputs :
       {"--out MODEL", "--save-model MODEL", "--svg OTHER --export-env OTHER"}) {
    std::string named = outputs;
    for (const auto& [word, path] : {std::pair("MODEL", model), {"OTHER", in_folder("other")}}) {
      for (auto at = named.find(word); at != std::string::npos; at = named.find(word)) {
        named.replace(at, 5, path);
      }
    }
    const Outcome outcome = stashscope("--batch --dim N=4 " + model + " " + named);
    EXPECT_EQ(outcome.status, 2) << outputs;
    EXPECT_NE(outcome.errors.find("would overwrite"), std::string::npos) << outcome.errors;
  }
  EXPECT_EQ(read_file(model), before);
}

/// A perceptron whose weight is in `<path>.data`.
void save_with_data(const fs::path& path) {
  test::ModelBuilder model;
  const fs::path source = path.string() + ".source";
  write_file_atomically(source, std::string(4 * 4 * sizeof(float), '\0'));
  model.input("x", {"N", 4}).input("labels", {"N"}, ElementType::int64);
  model.constant("w", Tensor::external(ElementType::float32, {4, 4},
                                       {source, source.filename().string(), 0, 64}));
  model.node("MatMul", {"x", "w"}, {"scores"});
  model.node("SoftmaxCrossEntropyLoss", {"scores", "labels"}, {"loss"});
  save_model(model.output("loss").build(), path);
}

TEST_F(CommandLine, DataOfTheModelAndFilesOfPlansAreNotWrittenOver) {
  save_with_data(folder / "m.onnx");
  write_file_atomically(folder / "plans.txt", "MatMul:3:-1\n");
  const std::string data = in_folder("m.onnx.data");
  const std::string arguments =
      "--batch --dim N=4 " + in_folder("m.onnx") + " --plan @" + in_folder("plans.txt");
  for (const std::string& output :
       {"--out " + data, "--export-env " + data, "--svg " + in_folder("plans.txt"),
        "--save-session " + in_folder("plans.txt"), "--save-model " + in_folder("m.onnx")}) {
    const Outcome outcome = stashscope(arguments + " " + output);
    EXPECT_EQ(outcome.status, 2) << output;
    EXPECT_NE(outcome.errors.find("would overwrite"), std::string::npos) << outcome.errors;
  }
  EXPECT_EQ(fs::file_size(data), 64U);
  EXPECT_EQ(read_file(folder / "plans.txt"), "MatMul:3:-1\n");
  EXPECT_EQ(stashscope(arguments + " --save-model " + in_folder("other.onnx")).status, 0);
}

TEST_F(CommandLine, ATraceIsNotWrittenOverWhatWasRead) {
  save_negation(folder / "negation.onnx");
  write_tensor(folder / "input_0.pb", "x", {2, 2}, {1, 2, 3, 4});
  write_file_atomically(folder / "plans.txt", "Neg:3:-1\n");
  const std::string arguments = in_folder("negation.onnx") + " --inputs " + folder.string() +
                                " --plan @" + in_folder("plans.txt");
  for (const char* file : {"negation.onnx", "input_0.pb", "plans.txt"}) {
    const std::string before = read_file(folder / file);
    const Outcome outcome = worker(arguments + " --trace " + in_folder(file));
    EXPECT_EQ(outcome.status, 2) << file;
    EXPECT_NE(outcome.errors.find("would overwrite"), std::string::npos) << outcome.errors;
    EXPECT_EQ(read_file(folder / file), before);
  }
}

TEST_F(CommandLine, ATraceThatIsNeverFinishedLeavesTheOldOne) {
  write_file_atomically(folder / "trace", "old");
  const std::string data = in_folder("data");
  fs::create_directory(data);
  write_tensor(fs::path(data) / "input_0.pb", "x", {1, 1}, {1});
  EXPECT_NE(worker(in_folder("model.onnx") + " --trace " + in_folder("trace") + " --inputs " + data)
                .status,
            0);
  EXPECT_EQ(read_file(folder / "trace"), "old");
}

TEST_F(CommandLine, ASessionIsSavedIntoItself) {
  const std::string session = in_folder("work.stashscope");
  report(in_folder("model.onnx") + " --dim N=4 --save-session " + session);
  EXPECT_EQ(report(session + " --dim N=8 --save-session " + session)["dims"]["N"], 8);
  EXPECT_EQ(report(session)["dims"]["N"], 8);
}

}  // namespace kept_files_test
}  // namespace stashscope
