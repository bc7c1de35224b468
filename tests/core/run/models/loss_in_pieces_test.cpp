// Whole models with their losses in pieces, compared with the results of other programs.

#include <gtest/gtest.h>

#include <set>

#include "expected_results.h"
#include "forward_model.h"
#include "tests/support/loss_in_pieces.h"

namespace stashscope {
namespace models_loss_in_pieces_test {

using testing_run::difference;
using testing_run::load_tensors;
using testing_run::models_with_oracle;
using testing_run::ModelStep;
namespace fs = std::filesystem;

const std::set<std::string> only_loss = {"keep_loss_only"};

std::set<std::string> every_pass() {
  std::set<std::string> names = only_loss;
  for (const GraphPass& pass : graph_passes()) {
    if (pass.among_all || pass.name == "label_positions") names.emplace(pass.name);
  }
  return names;
}

/// Models whose scores do not come from a product.
const std::set<std::string> without_product = {"diffusion_unet_small", "squeezenet_div4",
                                               "unet_small_bilinear"};

class LossInPiecesOf : public testing_run::ForwardModel {
 protected:
  void expect_oracle(std::int64_t rows, const std::set<std::string>& passes, bool with_plans) {
    const NamedTensors inputs = tensors(0, "input_");
    const test::LossInPieces made =
        test::loss_in_pieces(load_model(folder_ / "model.onnx"), rows, passes);
    ASSERT_GE(made.replaced, 1U) << made.stopped.at(0).node << " " << made.stopped.at(0).reason;
    ModelStep step(prepare_training_step(made.graph, {}), inputs);
    const Dataflow dataflow = with_plans ? step.with_all_plans(false) : step.without_plans();
    const RunResult result = testing_run::run_as_predicted(step, dataflow, inputs);
    for (const auto& [name, expected] : tensors(0, "output_")) {
      if (!result.outputs.contains(name)) continue;
      const Difference found = difference(result.outputs.at(name), expected);
      EXPECT_LE(found.largest, 5e-5 * found.largest_value) << name;
    }
    if (GetParam() != testing_run::chaotic_in_float32) check_gradients(0, result);
  }
};

TEST_P(LossInPiecesOf, GivesTheOraclesLossAndGradients) {
  if (without_product.contains(GetParam())) GTEST_SKIP() << "has no product before its loss";
  expect_oracle(1, only_loss, false);
  expect_oracle(1, every_pass(), true);
}

TEST_P(LossInPiecesOf, IsStoppedBeforeTheGraphChanges) {
  const Graph model = infer_and_simplify(load_model(folder_ / "model.onnx"));
  const test::LossInPieces made = test::loss_in_pieces(model, 1);
  for (const WhatIfStop& stop : made.stopped) {
    EXPECT_FALSE(stop.node.empty());
    EXPECT_FALSE(stop.reason.empty());
  }
  if (made.replaced > 0) return;
  Rewriter untouched(model, parameter_candidates(model, {}));
  EXPECT_EQ(made.graph.nodes().size(), untouched.finish().nodes().size());
}

INSTANTIATE_TEST_SUITE_P(Small, LossInPiecesOf, testing::ValuesIn(models_with_oracle),
                         [](const auto& info) { return std::string(info.param); });

const fs::path exported = testing_run::models / "exported";

std::vector<std::string> exported_names() {
  std::set<std::string> names;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(exported, none)) {
    const std::string name = entry.path().filename();
    // Batch normalization exported for inference does not give PyTorch's results.
    if (name.find("shufflenet") == std::string::npos) names.insert(name);
  }
  names.erase("README.md");
  return {names.begin(), names.end()};
}

class ExportedLossInPieces : public testing::TestWithParam<std::string> {
 protected:
  static NamedTensors tensors(const std::string& prefix) {
    return load_tensors(exported / GetParam() / "test_data_set_0", prefix);
  }
};

TEST_P(ExportedLossInPieces, TrainsAsInPyTorch) {
  const Graph model = load_model(exported / GetParam() / "model.onnx");
  const NamedTensors inputs = tensors("input_");
  for (const std::set<std::string>& passes : {std::set<std::string>(), every_pass()}) {
    const test::LossInPieces made = test::loss_in_pieces(model, 1, passes);
    ASSERT_EQ(made.replaced, 1U) << made.stopped.at(0).node << " " << made.stopped.at(0).reason;
    ModelStep step(prepare_training_step(made.graph, {}), inputs);
    const RunResult result = testing_run::run_as_predicted(step, step.without_plans(), inputs);
    testing_run::expect_results(result.outputs, tensors("output_"), 1e-5);
    testing_run::expect_results(result.outputs, tensors("grad_"), 1e-5, "_grad");
  }
}

INSTANTIATE_TEST_SUITE_P(Shared, ExportedLossInPieces, testing::ValuesIn(exported_names()),
                         [](const auto& info) { return info.param; });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(ExportedLossInPieces);

/// Files without weights; only the graph is looked at.
TEST(LossInPiecesOfFullSize, IsFoundInEveryLanguageModel) {
  const fs::path full = testing_run::models / "full";
  SKIP_WITHOUT(full);
  for (const auto& entry : fs::directory_iterator(full)) {
    const std::string name = entry.path().filename();
    const bool is_language = name.starts_with("gpt2") || name.starts_with("llama") ||
                             name.starts_with("bloom") || name.starts_with("bert");
    if (!is_language) continue;
    SCOPED_TRACE(name);
    const Graph model = load_model(entry.path());
    const test::LossInPieces shown = test::loss_in_pieces(model, 0);
    ASSERT_EQ(shown.stopped.size(), 1U);
    EXPECT_NE(shown.stopped[0].reason.find("keep_loss_only"), std::string::npos);
    const test::LossInPieces made = test::loss_in_pieces(model, 0, only_loss);
    EXPECT_EQ(made.replaced, 1U) << made.stopped.at(0).reason;
    const TrainingStep step = prepare_training_step(made.graph, {});
    EXPECT_TRUE(step.no_backward.empty()) << step.no_backward;
  }
}

}  // namespace models_loss_in_pieces_test
}  // namespace stashscope
