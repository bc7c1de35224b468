// Models as today's PyTorch exports them, with and without passes and plans, compared with
// PyTorch's loss and gradients.

#include <gtest/gtest.h>

#include <set>

#include "core/passes/graph_pass.h"
#include "core/run/cpu/execute/evaluate.h"
#include "expected_results.h"
#include "forward_model.h"

namespace stashscope {
namespace exported_models_test {

using testing_run::difference;
using testing_run::load_tensors;
using testing_run::ModelStep;
namespace fs = std::filesystem;

const fs::path exported = testing_run::models / "exported";

std::vector<std::string> model_names() {
  std::set<std::string> names;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(exported, none)) {
    if (fs::exists(entry.path() / "model.onnx")) names.insert(entry.path().filename());
  }
  return {names.begin(), names.end()};
}

class ExportedModel : public testing::TestWithParam<std::string> {
 protected:
  /// The exporter writes batch normalization for inference, but PyTorch trained when it made the
  /// results. Only the loss is compared: the input of one ReLU is 5e-5 from zero, which is less
  /// than the rounding errors of float32 there. Its sign changes every gradient before the ReLU.
  /// Even PyTorch gets one sign with oneDNN and the other sign without it.
  static bool is_shuffle_net() { return GetParam().find("shufflenet") != std::string::npos; }

  static PassSelection passes(bool all) {
    PassSelection selection{{}, ElementType::undefined, cpu_evaluator()};
    for (const GraphPass& pass : graph_passes()) {
      if (all && pass.among_all) selection.names.emplace(pass.name);
    }
    if (is_shuffle_net()) selection.names.emplace("train_normalizations");
    return selection;
  }

  static void compare(const NamedTensors& outputs, const std::string& prefix,
                      const std::string& suffix) {
    const NamedTensors expected = load_tensors(exported / GetParam() / "test_data_set_0", prefix);
    testing_run::expect_results(outputs, expected, 1e-5, suffix);
  }

  static void expect_pytorch(bool all_passes, bool with_plans, WhatIfChoices what_ifs = {}) {
    const fs::path folder = exported / GetParam();
    const NamedTensors inputs = load_tensors(folder / "test_data_set_0", "input_");
    PassSelection selection = passes(all_passes);
    selection.what_ifs = std::move(what_ifs);
    ModelStep step(prepare_training_step(load_model(folder / "model.onnx"), {}, selection), inputs);
    const Dataflow dataflow = with_plans ? step.with_all_plans(false) : step.without_plans();
    const RunResult result = testing_run::run_as_predicted(step, dataflow, inputs);
    compare(result.outputs, "output_", "");
    if (!is_shuffle_net()) compare(result.outputs, "grad_", "_grad");
  }
};

TEST_P(ExportedModel, TrainsAsInPyTorch) { expect_pytorch(false, false); }
TEST_P(ExportedModel, TrainsAsInPyTorchWithEveryPass) { expect_pytorch(true, false); }
TEST_P(ExportedModel, TrainsAsInPyTorchWithPassesAndPlans) { expect_pytorch(true, true); }
TEST_P(ExportedModel, TrainsAsInPyTorchWithFlashAttention) {
  expect_pytorch(false, false, {{"attention", "flash"}});
}
TEST_P(ExportedModel, TrainsAsInPyTorchWithEfficientAttentionAndPlans) {
  expect_pytorch(false, true, {{"attention", "efficient"}});
}
TEST_P(ExportedModel, TrainsAsInPyTorchWithRecomputedAttentionAndPasses) {
  expect_pytorch(true, false, {{"attention", "recomputed"}});
}
TEST_P(ExportedModel, TrainsAsInPyTorchWithItsLossInPieces) {
  expect_pytorch(false, false, {{"loss", "pieces:3"}});
}

INSTANTIATE_TEST_SUITE_P(Shared, ExportedModel, testing::ValuesIn(model_names()),
                         [](const auto& info) { return info.param; });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(ExportedModel);

}  // namespace exported_models_test
}  // namespace stashscope
