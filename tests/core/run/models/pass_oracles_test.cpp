// Whole models with passes over their forward part, compared with results of other programs.

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "core/passes/graph_pass.h"
#include "core/run/cpu/execute/evaluate.h"
#include "forward_model.h"
#include "tests/support/thinned.h"

namespace stashscope {
namespace pass_oracles_test {

using testing_run::chaotic_in_float32;
using testing_run::ForwardModel;
using testing_run::models_with_oracle;
using testing_run::ModelStep;

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

  /// ONNX Runtime refuses models in which two nodes have one name.
  static void expect_own_names(const Graph& graph) {
    std::set<std::string> names;
    for (const Node& node : graph.nodes()) {
      EXPECT_TRUE(node.name.empty() || names.insert(node.name).second) << node.name;
    }
  }

  /// Expects the remaining outputs and all gradients to match the folder, and bytes to match the
  /// prediction.
  void expect_oracle(const PassSelection& passes, int set, bool with_plans) const {
    const NamedTensors inputs = tensors(set, "input_");
    if (inputs.empty()) return;
    const Graph model = load_model(folder_ / "model.onnx");
    ModelStep step(prepare_training_step(model, {}, passes), inputs);
    const auto& done = step.step.passes;
    const auto changed = [](const PassResult& result) { return result.changed > 0; };
    if (std::none_of(done.begin(), done.end(), changed)) return;  // the graph is unchanged
    expect_own_names(*step.step.graph);
    const Dataflow dataflow = with_plans ? step.with_all_plans(false) : step.without_plans();
    const RunResult result = testing_run::run_as_predicted(step, dataflow, inputs);
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

/// Half of the distance between 1 and the next number.
double rounding_unit(ElementType element) {
  switch (element) {
    case ElementType::float16:
      return 0x1p-11;
    case ElementType::bfloat16:
      return 0x1p-8;
    default:
      return 0x1p-24;
  }
}

/// Errors grow in proportion to the rounding unit: gradients may differ by as many deviations as in
/// float32, times the ratio of the rounding units. The test requires this of the mean over the
/// weights, because a single rectifier that flips gives an error out of proportion. Without loss
/// scaling, numbers below float16's normal range may be lost.
TEST_P(PassedModel, IsNearInMixedPrecision) {
  const NamedTensors inputs = tensors(0, "input_");
  const Graph model = load_model(folder_ / "model.onnx");
  for (const ElementType half : {ElementType::float16, ElementType::bfloat16}) {
    SCOPED_TRACE(name_of(half));
    PassSelection passes = every_pass();
    passes.precision = half;
    ModelStep step(prepare_training_step(model, {}, passes), inputs);
    const RunResult result = testing_run::run_on_cpu(step.default_plan(), inputs);
    step.take_sizes(result.measurement.data_dependent);
    const RunPlan plan = step.default_plan();
    EXPECT_EQ(largest_difference(result.measurement.live_bytes, plan.timeline.live_bytes), 0);
    const double growth = rounding_unit(half) / rounding_unit(ElementType::float32);
    const double lost = half == ElementType::float16 ? 0x1p-14 : 0;
    double squares = 0;
    const NamedTensors gradients = tensors(0, "grad_");
    for (const auto& [parameter, expected] : gradients) {
      ASSERT_TRUE(result.outputs.contains(parameter + "_grad")) << parameter;
      const Difference found =
          testing_run::difference(result.outputs.at(parameter + "_grad"), expected);
      const double allowed = 50 * growth * deviation(parameter, found.largest_value) + lost;
      squares += std::pow(found.largest / allowed, 2);
    }
    EXPECT_LE(std::sqrt(squares / static_cast<double>(gradients.size())), 1);
  }
}

INSTANTIATE_TEST_SUITE_P(Files, PassedModel, testing::ValuesIn(test::thinned(models_with_oracle)),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace pass_oracles_test
}  // namespace stashscope
