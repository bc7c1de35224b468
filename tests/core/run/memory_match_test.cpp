// What a run allocates is what the timeline predicts, to the byte, whatever is chosen; and choices
// never change a bit of the results.

#include <gtest/gtest.h>

#include <algorithm>

#include "core/run/random_inputs.h"
#include "model_run.h"

namespace stashscope {
namespace {

using testing_run::PreparedStep;
namespace fs = std::filesystem;

const fs::path models = STASHSCOPE_SHARED "/models";

/// The given inputs of a model, or, where its results are random, random ones for small dimensions.
NamedTensors inputs_of(const fs::path& folder, const Graph& graph) {
  for (const char* set : {"test_data_set_1", "test_data_set_0"}) {
    NamedTensors given = testing_run::load_tensors(folder / set, "input_");
    if (!given.empty()) return given;
  }
  const Bindings bindings(graph.symbols().size(), 4);
  return with_random_inputs(graph, bindings, {}, 1);
}

class StepMemory : public testing::TestWithParam<std::string> {};

TEST_P(StepMemory, IsAsPredictedInEveryOrderWithAndWithoutPlans) {
  const fs::path folder = models / GetParam();
  if (!fs::exists(folder)) GTEST_SKIP() << folder << " is not there";
  const TrainingStep trained = prepare_training_step(load_model(folder / "model.onnx"), {});
  const NamedTensors inputs = inputs_of(folder, *trained.graph);
  const PreparedStep step(trained, inputs);
  const RunResult reference = testing_run::run_on_cpu(step.default_plan(), inputs);
  for (const Dataflow& dataflow :
       {step.without_plans(), step.with_all_plans(false), step.with_all_plans(true)}) {
    for (const OrderStrategy& strategy : order_strategies()) {
      SCOPED_TRACE(std::string(strategy.name) + " with " +
                   std::to_string(dataflow.cloned_nodes.size()) + " clones");
      const RunPlan plan = step.plan(dataflow, strategy);
      const RunResult result = testing_run::run_on_cpu(plan, inputs);
      EXPECT_EQ(result.measurement.live_bytes, plan.timeline.live_bytes);
      for (const auto& [name, tensor] : reference.outputs) {
        EXPECT_TRUE(testing_run::same_bits(result.outputs.at(name), tensor)) << name;
      }
    }
  }
}

std::string test_name(std::string path) {
  std::replace(path.begin(), path.end(), '/', '_');
  return path;
}

/// Forward models, which we differentiate, and steps that are written with or without a YieldOp.
INSTANTIATE_TEST_SUITE_P(
    Files, StepMemory,
    testing::Values("small/bert_tiny", "small/bert_tiny_dropout", "small/bloom_tiny_3layer",
                    "small/convnext_small", "small/diffusion_unet_small", "small/gpt2_tiny",
                    "small/gpt2_tiny_dropout", "small/lenet", "small/llama_tiny_amp_bf16",
                    "small/llama_tiny_gqa", "small/llama_tiny_mha", "small/mlp_gelu",
                    "small/mlp_relu", "small/mobilenet_v2_w025", "small/resnet18_div8",
                    "small/resnet50_div8", "small/unet_small_bilinear", "small/vit_tiny",
                    "joint/bert_tiny", "joint/bloom_tiny_3layer", "joint/gpt2_tiny", "joint/lenet",
                    "joint/llama_tiny_gqa", "joint/llama_tiny_mha", "joint/mlp_gelu",
                    "joint/mlp_relu", "joint/vit_tiny", "ort_exec/bloom3_fp32_h128",
                    "ort_exec/ort_mlp_gradient_graph", "ort_exec/ort_mlp_training_model",
                    "ort_exec/recompute_gelu_split", "ort_exec/recompute_tile_split"),
    [](const auto& info) { return test_name(info.param); });

}  // namespace
}  // namespace stashscope
