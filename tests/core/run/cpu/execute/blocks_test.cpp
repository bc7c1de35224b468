// Groups of pointwise nodes, run block by block.

#include <gtest/gtest.h>

#include "core/passes/infer_shapes.h"
#include "core/run/step/random_inputs.h"
#include "tests/core/run/models/model_run.h"
#include "tests/support/model_builder.h"

namespace stashscope {
namespace blocks_test {

using testing_run::ModelStep;

/// Operators with full operands and with a single element, in a shape of several full blocks and a
/// partial one. Two values leave the group.
test::ModelBuilder group() {
  test::ModelBuilder m;
  m.input("x", {"rows", 1025}).input("z", {"rows", 1025});
  m.weight("two", {}, {2}).weight("third", {1, 1}, {0.3F});
  m.node("Pow", {"x", "two"}, {"square"});
  m.node("Add", {"third", "square"}, {"shifted"});
  m.node("Tanh", {"shifted"}, {"t"});
  m.node("Greater", {"t", "z"}, {"above"});
  m.node("Where", {"above", "t", "square"}, {"y"});
  m.node("Cast", {"y"}, {"narrow"}, {{"to", std::int64_t{10}}});
  m.node("Cast", {"narrow"}, {"wide"}, {{"to", std::int64_t{1}}});
  m.node("Mul", {"wide", "z"}, {"w"});
  m.node("Softmax", {"y"}, {"soft"});
  return m.output("soft").output("w");
}

class Blocks : public testing::TestWithParam<std::int64_t> {};

TEST_P(Blocks, GiveTheBitsOfWholeTensors) {
  TrainingStep step;
  step.graph = std::make_shared<const Graph>(infer_shapes(group().build()));
  const Bindings bindings(step.graph->symbols().size(), GetParam());
  const NamedTensors inputs = with_random_inputs(*step.graph, bindings, {}, 1);
  const ModelStep prepared(step, inputs);
  const Dataflow dataflow = prepared.without_plans();
  const RunResult apart = testing_run::run_on_cpu(prepared.default_plan(), inputs);
  const RunPlan plan = prepared.plan(dataflow, find_order("file"), {}, "dataflow");
  ASSERT_EQ(plan.groups.members.size(), 1U);
  EXPECT_EQ(plan.groups.members[FusedGroupId(0)].size(), 8U);
  const RunResult fused = testing_run::run_on_cpu(plan, inputs);
  for (const auto& [name, tensor] : apart.outputs) {
    EXPECT_TRUE(testing_run::same_bits(fused.outputs.at(name), tensor)) << name;
  }
  EXPECT_EQ(fused.measurement.live_bytes, plan.timeline.live_bytes);
  EXPECT_EQ(fused.measurement.idle_bytes, plan.timeline.idle_bytes);
  EXPECT_LE(fused.measurement.peak_bytes, apart.measurement.peak_bytes);
}

INSTANTIATE_TEST_SUITE_P(Rows, Blocks, testing::Values(0, 1, 4, 9));

}  // namespace blocks_test
}  // namespace stashscope
