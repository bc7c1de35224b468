// Whole models compared with outputs and gradients of other programs.

#include <gtest/gtest.h>

#include "forward_model.h"
#include "in_double.h"
#include "tests/support/small_models.h"

namespace stashscope {
namespace model_oracles_test {

using testing_run::chaotic_in_float32;
using testing_run::difference;
using testing_run::ForwardModel;
using testing_run::in_double;
using testing_run::load_tensors;
using testing_run::models;
using testing_run::models_with_oracle;
using testing_run::ModelStep;
namespace fs = std::filesystem;

/// Forward and backward in one graph: everything is an output of the file.
class StepModel : public testing::TestWithParam<std::string> {};

TEST_P(StepModel, EveryOutputIsAsTheFolderSays) {
  const fs::path folder = models / GetParam();
  SKIP_WITHOUT(folder);
  const Graph model = load_model(folder / "model.onnx");
  const NamedTensors inputs = load_tensors(folder / "test_data_set_0", "input_");
  const ModelStep step(prepare_training_step(model, {}), inputs);
  const RunPlan plan = step.default_plan();
  const RunResult result = testing_run::run_on_cpu(plan, inputs);
  for (const auto& [name, expected] : load_tensors(folder / "test_data_set_0", "output_")) {
    ASSERT_TRUE(result.outputs.contains(name)) << name;
    const Difference found = difference(result.outputs.at(name), expected);
    // Some gradients are exactly zero in theory; they get room for rounding.
    EXPECT_LE(found.largest, 1e-5 * found.largest_value + 1e-8) << name;
  }
  EXPECT_EQ(largest_difference(result.measurement.live_bytes, plan.timeline.live_bytes), 0);
}

INSTANTIATE_TEST_SUITE_P(
    Files, StepModel,
    testing::Values("joint/bert_tiny", "joint/bloom_tiny_3layer", "joint/gpt2_tiny", "joint/lenet",
                    "joint/llama_tiny_gqa", "joint/llama_tiny_mha", "joint/mlp_gelu",
                    "joint/mlp_relu", "joint/vit_tiny", "ort_exec/bloom3_fp32_h128",
                    "ort_exec/ort_mlp_gradient_graph", "ort_exec/ort_mlp_training_model",
                    "ort_exec/recompute_gelu_split", "ort_exec/recompute_tile_split"),
    [](const auto& info) { return test::test_name(info.param); });

TEST_P(ForwardModel, IsReproducedInFloat32) {
  const Graph model = load_model(folder_ / "model.onnx");
  for (const int set : {0, 1}) {
    const NamedTensors inputs = tensors(set, "input_");
    if (inputs.empty()) continue;
    const RunResult result = run(model, inputs);
    check_outputs(set, result, 5e-5);
    if (GetParam() != chaotic_in_float32) check_gradients(set, result);
  }
}

/// In float64, our gradients are about as close to the oracle's float32 gradients as the oracle's
/// own float64 gradients are.
TEST_P(ForwardModel, IsReproducedInFloat64) {
  const Graph model = in_double(load_model(folder_ / "model.onnx"));
  const RunResult result = run(model, in_double(tensors(0, "input_")));
  for (const auto& [parameter, expected] : tensors(0, "grad_")) {
    ASSERT_TRUE(result.outputs.contains(parameter + "_grad")) << parameter;
    const Difference found =
        difference(result.outputs.at(parameter + "_grad"), in_double(expected));
    const double room = deviations_.contains(parameter) ? 1.25 : 50;
    EXPECT_LE(found.largest, room * deviation(parameter, found.largest_value)) << parameter;
  }
}

INSTANTIATE_TEST_SUITE_P(Files, ForwardModel, testing::ValuesIn(models_with_oracle),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace model_oracles_test
}  // namespace stashscope
