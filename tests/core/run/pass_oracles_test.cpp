// Whole models with passes over their forward part against what other programs computed.

#include <gtest/gtest.h>

#include "core/passes/graph_pass.h"
#include "core/run/evaluate.h"
#include "forward_model.h"

namespace stashscope {
namespace {

using testing_run::chaotic_in_float32;
using testing_run::ForwardModel;
using testing_run::models_with_oracle;
using testing_run::PreparedStep;

class PassedModel : public ForwardModel {
 protected:
  static PassSelection selection(std::set<std::string> names) {
    return {std::move(names), ElementType::undefined, cpu_evaluator()};
  }

  static PassSelection every_pass() {
    std::set<std::string> names;
    for (const GraphPass& pass : graph_passes()) names.emplace(pass.name);
    return selection(std::move(names));
  }

  /// The outputs that are left and all gradients are as the folder says, in bytes as predicted.
  void expect_oracle(const PassSelection& passes, int set, bool with_plans) const {
    const NamedTensors inputs = tensors(set, "input_");
    if (inputs.empty()) return;
    const Graph model = load_model(folder_ / "model.onnx");
    const PreparedStep step(prepare_training_step(model, {}, passes), inputs);
    const Dataflow dataflow = with_plans ? step.with_all_plans(false) : step.without_plans();
    const RunPlan plan = step.plan(dataflow, order_strategies()[0]);
    const RunResult result = testing_run::run_on_cpu(plan, inputs);
    EXPECT_EQ(largest_difference(result.measurement.live_bytes, plan.timeline.live_bytes), 0);
    for (const auto& [name, expected] : tensors(set, "output_")) {
      if (!result.outputs.contains(name)) continue;
      const Difference found = testing_run::difference(result.outputs.at(name), expected);
      EXPECT_LE(found.largest, 5e-5 * found.largest_value) << name << " of data set " << set;
    }
    if (GetParam() != chaotic_in_float32) check_gradients(set, result);
  }
};

TEST_P(PassedModel, IsReproducedWithEachPassAlone) {
  for (const GraphPass& pass : graph_passes()) {
    SCOPED_TRACE(pass.name);
    expect_oracle(selection({std::string(pass.name)}), 0, false);
  }
}

TEST_P(PassedModel, IsReproducedWithEveryPass) {
  for (const int set : {0, 1}) {
    for (const bool with_plans : {false, true}) expect_oracle(every_pass(), set, with_plans);
  }
}

INSTANTIATE_TEST_SUITE_P(Files, PassedModel, testing::ValuesIn(models_with_oracle),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace stashscope
