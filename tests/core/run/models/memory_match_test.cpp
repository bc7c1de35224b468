// For all choices, a run allocates what the timeline predicts, to the byte, and choices never
// change a bit of the results.

#include <gtest/gtest.h>

#include "core/run/step/random_inputs.h"
#include "model_run.h"
#include "tests/support/small_models.h"
#include "tests/support/thinned.h"

namespace stashscope {
namespace memory_match_test {

using testing_run::ModelStep;
namespace fs = std::filesystem;

const fs::path models = STASHSCOPE_SHARED "/models";

/// The inputs in the folder of a model. If the folder has no inputs, because the model's results
/// are random: random inputs with small dimensions.
NamedTensors inputs_of(const fs::path& folder, const Graph& graph) {
  for (const char* set : {"test_data_set_1", "test_data_set_0"}) {
    NamedTensors given = testing_run::load_tensors(folder / set, "input_");
    if (!given.empty()) return given;
  }
  const Bindings bindings(graph.symbols().size(), 4);
  return with_random_inputs(graph, bindings, {}, 1);
}

/// The results of the forward pass.
std::vector<std::string> forward_results(const TrainingStep& step) {
  std::vector<std::string> names;
  const auto add = [&](ValueId value) {
    if (step.graph->is_graph_output(value)) names.push_back(step.graph->value(value).name);
  };
  for (const ValueId value : step.boundary.outputs) add(value);
  if (step.boundary.yield.valid()) {
    for (const ValueId value : step.graph->topology().inputs[step.boundary.yield]) add(value);
  }
  return names;
}

class MeasuredStepMemory : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    const fs::path folder = models / GetParam();
    if (!fs::exists(folder)) GTEST_SKIP() << folder << " is not there";
    const TrainingStep trained = prepare_training_step(load_model(folder / "model.onnx"), {});
    inputs_ = inputs_of(folder, *trained.graph);
    step_.emplace(trained, inputs_);
    reference_ = testing_run::run_on_cpu(step_->default_plan(), inputs_).outputs;
  }

  /// Runs a plan and expects the predicted memory.
  NamedTensors run(const RunPlan& plan) const {
    RunResult result = testing_run::run_on_cpu(plan, inputs_);
    EXPECT_EQ(result.measurement.live_bytes, plan.timeline.live_bytes);
    EXPECT_EQ(result.measurement.idle_bytes, plan.timeline.idle_bytes);
    return std::move(result.outputs);
  }

  /// Searches are too slow for large graphs.
  static bool is_small(const Dataflow& dataflow) { return dataflow.topology.nodes() < 60; }

  void run_in_every_order(const Dataflow& dataflow, const std::vector<std::string>& same) const {
    for (const OrderStrategy& strategy : order_strategies()) {
      if (strategy.kind == OrderKind::search && !is_small(dataflow)) continue;
      SCOPED_TRACE(std::string(strategy.name) + " with " +
                   std::to_string(dataflow.cloned_nodes.size()) + " added nodes");
      expect_same(run(step_->plan(dataflow, strategy)), same);
    }
  }

  void expect_same(const NamedTensors& outputs, const std::vector<std::string>& names) const {
    ASSERT_EQ(outputs.size(), reference_.size());
    for (const std::string& name : names) {
      EXPECT_TRUE(testing_run::same_bits(outputs.at(name), reference_.at(name))) << name;
    }
  }

  std::vector<std::string> all_results() const {
    std::vector<std::string> names;
    for (const auto& [name, tensor] : reference_) names.push_back(name);
    return names;
  }

  NamedTensors inputs_;
  std::optional<ModelStep> step_;
  NamedTensors reference_;
};

TEST_P(MeasuredStepMemory, IsAsPredictedInEveryOrderWithAndWithoutPlans) {
  for (const Dataflow& dataflow :
       {step_->without_plans(), step_->with_all_plans(false), step_->with_all_plans(true)}) {
    run_in_every_order(dataflow, all_results());
  }
}

TEST_P(MeasuredStepMemory, IsAsPredictedWithGroupsThatRunAsOne) {
  for (const Dataflow& dataflow : {step_->without_plans(), step_->with_all_plans(true)}) {
    for (const FusionStrategy& fusion : fusion_strategies()) {
      for (const char* order : {"file", "largest-first"}) {
        SCOPED_TRACE(std::string(fusion.name) + " in order " + order);
        const RunPlan plan = step_->plan(dataflow, find_order(order), {}, fusion.name);
        expect_same(run(plan), all_results());
      }
    }
  }
}

TEST_P(MeasuredStepMemory, IsAsPredictedWithGroupsOfReleasedGradients) {
  const UpdateChoice update{"none", false, true};
  for (const char* fusion : {"dataflow", "horizontal"}) {
    SCOPED_TRACE(fusion);
    const Dataflow dataflow = step_->with_all_plans(false);
    expect_same(run(step_->plan(dataflow, order_strategies()[0], update, fusion)), all_results());
  }
}

TEST_P(MeasuredStepMemory, IsAsPredictedWithTensorsPutAway) {
  run_in_every_order(step_->with_all_of(PlanType::offload), all_results());
  // Compressed stashes lose half of their digits, but the forward pass does not read them.
  run_in_every_order(step_->with_all_of(PlanType::compress), forward_results(step_->step));
}

TEST_P(MeasuredStepMemory, IsAsPredictedWithCopiesThatOverlap) {
  const Dataflow dataflow = step_->with_all_of(PlanType::offload);
  for (const char* const order : {"file", "largest-first"}) {
    for (const char* const fusion : {"none", "dataflow"}) {
      for (const double transfer : {0.3, 2.0, 30.0}) {
        SCOPED_TRACE(std::string(order) + " " + fusion + " " + std::to_string(transfer));
        const RunPlan serial = step_->plan(dataflow, find_order(order), {}, fusion);
        const RunPlan plan = step_->overlapped(dataflow, find_order(order), transfer, fusion);
        EXPECT_EQ(plan.timeline.peak_bytes, serial.timeline.peak_bytes);
        expect_same(run(plan), all_results());
      }
    }
  }
}

TEST_P(MeasuredStepMemory, IsAsPredictedWithAnOptimizerAndReleasedGradients) {
  for (const Dataflow& dataflow : {step_->without_plans(), step_->with_all_plans(false)}) {
    for (const UpdateChoice& update : {UpdateChoice{"adam", true, false}, {"none", false, true}}) {
      SCOPED_TRACE(update.optimizer);
      expect_same(run(step_->plan(dataflow, order_strategies()[0], update)), all_results());
    }
  }
}

/// Forward models, which we differentiate, and training steps with or without a YieldOp.
INSTANTIATE_TEST_SUITE_P(Files, MeasuredStepMemory,
                         testing::ValuesIn(test::thinned(test::models_in_folders({"small", "joint",
                                                                                  "ort_exec"}))),
                         [](const auto& info) { return test::test_name(info.param); });

}  // namespace memory_match_test
}  // namespace stashscope
