// Given input data, comparison with expected results, and the messages about both.

#include <limits>

#include "tests/app/command_line.h"

namespace stashscope {
namespace data_of_runs_test {

/// Expects status 1 and all of `words` on standard error.
void expect_refused_input(const Outcome& outcome, const std::vector<std::string>& words) {
  EXPECT_EQ(outcome.status, 1) << outcome.errors;
  expect_one_line(outcome, "stashscope-run");
  for (const std::string& each : words) {
    EXPECT_NE(outcome.errors.find(each), std::string::npos) << each << " in " << outcome.errors;
  }
}

TEST_F(CommandLine, DataThatDoesNotFitIsRefusedWithBothSides) {
  test::ModelBuilder model;
  model.input("x", {"N", 2}).input("y", {"N", 2});
  model.node("Sub", {"x", "y"}, {"z"}).node("Relu", {"z"}, {"w"}).output("w");
  save_model(model.build(), folder / "two.onnx");
  const std::string arguments = in_folder("two.onnx") + " --device cpu --inputs " + folder.string();
  write_tensor(folder / "input_0.pb", "x", {2, 2}, {1, 2, 3, 4});
  write_tensor(folder / "input_1.pb", "y", {1, 2}, {1, 2});
  expect_refused_input(worker(arguments), {"'x'", "[2, 2]", "'y'", "[1, 2]"});
  write_tensor(folder / "input_1.pb", "y", {2, 2, 1}, {1, 2, 3, 4});
  expect_refused_input(worker(arguments), {"'y'", "[2, 2, 1]", "[N, 2]"});
  write_tensor(folder / "input_1.pb", "y", {2, 1}, {1, 2});
  expect_refused_input(worker(arguments), {"'y'", "[2, 1]", "[N, 2]"});
  write_tensor(folder / "input_1.pb", "y", {2, 2}, {1, 2, 3, 4});
  EXPECT_EQ(worker(arguments).status, 0);
  write_tensor(folder / "input_2.pb", "y", {2, 2}, {1, 2, 3, 4});
  expect_refused_input(worker(arguments), {"input_1.pb", "input_2.pb", "'y'"});
}

TEST_F(CommandLine, AnUnavailableDeviceIsStatus3) {
  const Outcome outcome = worker(in_folder("model.onnx") + " --dim N=4 --device cuda:999");
  EXPECT_EQ(outcome.status, 3) << outcome.errors;
}

TEST_F(CommandLine, DataBeyondTheMemoryIsRefusedBeforeItIsMade) {
  const std::string arguments = in_folder("model.onnx") + " --dim N=10000000000 --device cpu";
  for (const Outcome& outcome : {worker(arguments), stashscope("--batch " + arguments)}) {
    EXPECT_EQ(outcome.status, 3) << outcome.errors;
    EXPECT_NE(outcome.errors.find("available"), std::string::npos) << outcome.errors;
  }
  EXPECT_EQ(worker(arguments).output, "");
  EXPECT_NE(stashscope("--batch " + arguments).output.find("Peak before: "), std::string::npos)
      << "the prediction needs no run";
}

/// A run on the CPU keeps offloaded tensors in the same memory: they leave the peak, not the need.
TEST_F(CommandLine, OffloadedTensorsCountForTheMemoryOfARun) {
  const std::string step = in_folder("model.onnx") + " --dim N=10000000000 ";
  const std::string offload = "--plan MatMul:3:-1 ";
  const auto peak = [&](const std::string& plan) -> std::int64_t {
    return report(step + plan)["memory"]["current"]["peak_bytes"];
  };
  ASSERT_LT(peak(offload), peak(""));
  const auto tebibytes = [&](const std::string& plan) {
    const Outcome outcome = worker(step + plan);
    EXPECT_NE(outcome.status, 0);
    const std::string before = "predicted to need ";
    const std::size_t start = outcome.errors.find(before);
    if (start == std::string::npos) return 0.0;
    EXPECT_NE(outcome.errors.find("TiB", start), std::string::npos) << outcome.errors;
    return std::stod(outcome.errors.substr(start + before.size()));
  };
  ASSERT_GT(tebibytes(""), 0);
  EXPECT_GE(tebibytes(offload), tebibytes(""));
}

TEST_F(CommandLine, ARunNeedsNoTemporaryFolder) {
  const Outcome outcome = run("TMPDIR=/no/such/folder " STASHSCOPE_PROGRAM,
                              "--batch --dim N=4 --device cpu " + in_folder("model.onnx"));
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_NE(outcome.output.find("Measured on cpu"), std::string::npos) << outcome.output;
}

TEST_F(CommandLine, NanIsBeyondEveryTolerance) {
  save_negation(folder / "negation.onnx");
  const std::string arguments = in_folder("negation.onnx") + " --device cpu --inputs " +
                                folder.string() + " --compare " + folder.string();
  write_tensor(folder / "output_0.pb", "y", {2, 2}, {-1, -2, -3, -4});
  write_tensor(folder / "input_0.pb", "x", {2, 2}, {1, 2, 3, 4});
  EXPECT_EQ(worker(arguments).status, 0);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const std::vector<float>& input :
       {std::vector<float>{nan, 2, 3, 4}, {1, nan, 3, 4}, {1, 2, 3, nan}}) {
    write_tensor(folder / "input_0.pb", "x", {2, 2}, input);
    const Outcome outcome = worker(arguments);
    EXPECT_EQ(outcome.status, 1) << outcome.output;
    EXPECT_NE(outcome.output.find("FAILS y"), std::string::npos) << outcome.output;
  }
}

TEST_F(CommandLine, AManifestWithoutNamesOfGradientsIsIgnored) {
  save_negation(folder / "negation.onnx");
  const fs::path data = folder / "data";
  fs::create_directory(data);
  write_tensor(data / "input_0.pb", "x", {2, 2}, {1, 2, 3, 4});
  write_tensor(data / "output_0.pb", "y", {2, 2}, {-1, -2, -3, -4});
  write_file_atomically(folder / "manifest.json", R"({"grads": [[1, "grad_0.pb", [2], 1, 0.5]]})");
  const Outcome outcome = worker(in_folder("negation.onnx") + " --device cpu --inputs " +
                                 data.string() + " --compare " + data.string());
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
}

/// `y` is drawn with the probabilities in `x`; `z = -x`.
void save_drawing(const fs::path& path) {
  test::ModelBuilder model;
  model.input("x", {2}).node("Bernoulli", {"x"}, {"y"}).node("Neg", {"x"}, {"z"});
  save_model(model.output("y").output("z").build(), path);
}

TEST_F(CommandLine, RandomOutputsAreComparedByTypeAndDimsOnly) {
  save_drawing(folder / "drawing.onnx");
  write_tensor(folder / "input_0.pb", "x", {2}, {0.5F, 0.5F});
  write_tensor(folder / "output_1.pb", "z", {2}, {-0.5F, -0.5F});
  const std::string arguments =
      in_folder("drawing.onnx") + " --inputs " + folder.string() + " --compare " + folder.string();
  write_tensor(folder / "output_0.pb", "y", {2}, {7, 7});
  const Outcome any = worker(arguments);
  EXPECT_EQ(any.status, 0) << any.errors;
  EXPECT_NE(any.output.find("ok    y: made from random numbers"), std::string::npos) << any.output;
  EXPECT_NE(any.output.find("ok    z: largest error 0"), std::string::npos) << any.output;
  write_tensor(folder / "output_0.pb", "y", {1}, {7});
  EXPECT_EQ(worker(arguments).status, 1);
}

/// Saves the model y = x w with the sum of y as loss, an input for x and the expected y.
void save_product(const fs::path& folder) {
  test::ModelBuilder model;
  model.input("x", {1, 2}).weight("w", {2, 3}, {1, 0, 0, 2, 0, 0});
  model.node("MatMul", {"x", "w"}, {"y"});
  model.node("ReduceSum", {"y"}, {"loss"}, {{"keepdims", std::int64_t{0}}});
  save_model(model.output("loss").output("y").build(), folder / "product.onnx");
  write_tensor(folder / "input_0.pb", "x", {1, 2}, {3, 4});
  write_tensor(folder / "output_0.pb", "y", {1, 3}, {11, 0, 0});
}

TEST_F(CommandLine, MixedPrecisionIsComparedByValue) {
  save_product(folder);
  const std::string arguments = in_folder("product.onnx") + " --precision float16 --inputs " +
                                folder.string() + " --compare " + folder.string();
  const Outcome outcome = worker(arguments);
  EXPECT_EQ(outcome.status, 0) << outcome.output << outcome.errors;
  EXPECT_NE(outcome.output.find("ok    y: largest error 0"), std::string::npos) << outcome.output;
}

TEST_F(CommandLine, AnOutputThatAPassGaveUpIsNotCompared) {
  save_product(folder);
  const std::string arguments = in_folder("product.onnx") + " --pass keep_loss_only --inputs " +
                                folder.string() + " --compare " + folder.string();
  const Outcome outcome = worker(arguments);
  EXPECT_EQ(outcome.status, 0) << outcome.output << outcome.errors;
  EXPECT_NE(outcome.output.find("ok    y: a pass removed this output"), std::string::npos);
}

/// The model selects the rows of x that `flags` marks.
TEST_F(CommandLine, ARunSaysWhichSizesItsDataHad) {
  test::ModelBuilder model;
  model.input("x", {4, 2}).input("flags", {4}, ElementType::boolean);
  model.node("Compress", {"x", "flags"}, {"picked"}, {{"axis", std::int64_t{0}}});
  model.node("Relu", {"picked"}, {"y"});
  save_model(model.output("y").build(), folder / "pick.onnx");
  const Outcome outcome =
      stashscope("--batch " + in_folder("pick.onnx") + " --device cpu --dim picked_dim0=4");
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_NE(outcome.output.find("Sizes: picked_dim0 = 4\n"), std::string::npos) << outcome.output;
  EXPECT_NE(outcome.output.find("Dimension 'picked_dim0' was "), std::string::npos)
      << outcome.output;
  const Outcome none = worker(in_folder("pick.onnx") + " --dim picked_dim0=0");
  EXPECT_EQ(none.status, 0) << none.errors;
  EXPECT_NE(none.output.find("largest difference 0 B"), std::string::npos) << none.output;
}

}  // namespace data_of_runs_test
}  // namespace stashscope
