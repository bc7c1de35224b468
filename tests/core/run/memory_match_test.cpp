// What a run allocates is what the timeline predicts, to the byte, whatever is chosen; and choices
// never change a bit of the results.

#include <gtest/gtest.h>

#include "core/run/random_inputs.h"
#include "model_run.h"

namespace stashscope {
namespace {

using testing_run::PreparedStep;
namespace fs = std::filesystem;

const fs::path models = STASHSCOPE_SHARED "/models/small";

/// The given inputs of a model, or, where its results are random, random ones for small dimensions.
NamedTensors inputs_of(const fs::path& folder, const Graph& graph) {
  NamedTensors given = testing_run::load_tensors(folder / "test_data_set_1", "input_");
  if (!given.empty()) return given;
  const Bindings bindings(graph.symbols().size(), 4);
  return with_random_inputs(graph, bindings, {}, 1);
}

class SmallModel : public testing::TestWithParam<std::string> {};

void expect_predicted_memory(const RunPlan& plan, const RunResult& result) {
  EXPECT_EQ(result.measurement.live_bytes, plan.timeline.live_bytes);
  EXPECT_EQ(result.measurement.idle_bytes, plan.timeline.idle_bytes);
}

void expect_same_outputs(const RunResult& result, const RunResult& reference) {
  ASSERT_EQ(result.outputs.size(), reference.outputs.size());
  for (const auto& [name, tensor] : reference.outputs) {
    EXPECT_TRUE(testing_run::same_bits(result.outputs.at(name), tensor)) << name;
  }
}

TEST_P(SmallModel, UsesThePredictedMemoryInEveryOrderWithAndWithoutPlans) {
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
      expect_predicted_memory(plan, result);
      expect_same_outputs(result, reference);
    }
  }
}

TEST_P(SmallModel, UsesThePredictedMemoryWithAnOptimizerAndReleasedGradients) {
  const fs::path folder = models / GetParam();
  if (!fs::exists(folder)) GTEST_SKIP() << folder << " is not there";
  const TrainingStep trained = prepare_training_step(load_model(folder / "model.onnx"), {});
  const NamedTensors inputs = inputs_of(folder, *trained.graph);
  const PreparedStep step(trained, inputs);
  const RunResult reference = testing_run::run_on_cpu(step.default_plan(), inputs);
  for (const Dataflow& dataflow : {step.without_plans(), step.with_all_plans(false)}) {
    for (const UpdateChoice& update : {UpdateChoice{"adam", true, false}, {"none", false, true}}) {
      SCOPED_TRACE(update.optimizer);
      const RunPlan plan = step.plan(dataflow, order_strategies()[0], update);
      const RunResult result = testing_run::run_on_cpu(plan, inputs);
      expect_predicted_memory(plan, result);
      expect_same_outputs(result, reference);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Files, SmallModel,
                         testing::Values("bert_tiny", "bert_tiny_dropout", "bloom_tiny_3layer",
                                         "convnext_small", "diffusion_unet_small", "gpt2_tiny",
                                         "gpt2_tiny_dropout", "lenet", "llama_tiny_amp_bf16",
                                         "llama_tiny_gqa", "llama_tiny_mha", "mlp_gelu", "mlp_relu",
                                         "mobilenet_v2_w025", "resnet18_div8", "resnet50_div8",
                                         "unet_small_bilinear", "vit_tiny"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace stashscope
