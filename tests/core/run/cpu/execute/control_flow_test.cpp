// Nodes that run subgraphs.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/run/devices/devices.h"
#include "tests/core/run/cpu/kernels/one_node.h"
#include "tests/support/model_builder.h"

namespace stashscope {
namespace control_flow_test {

using namespace testing_run;  // NOLINT: the test's own helpers
using testing::ElementsAre;
using testing::HasSubstr;

/// A subgraph that reads the outer values `captures`.
Subgraph body_of(const test::ModelBuilder& model, const std::vector<std::string>& captures) {
  GraphData data = model.data();
  data.opsets = {{"", 18}};
  for (const std::string& name : captures) {
    for (const ValueId id : IdRange<ValueId>(data.values.size())) {
      if (data.values[id].name == name) data.captures.push_back(id);
    }
  }
  return std::make_shared<const Graph>(std::move(data));
}

/// A model of one node that captures `x`.
Graph model_of(const std::string& type, const std::vector<std::string>& inputs,
               const std::vector<std::string>& outputs, Attributes attributes) {
  test::ModelBuilder model;
  model.input("x", {2});
  model.input("condition", {}, ElementType::boolean).input("count", {}, ElementType::int64);
  model.input("start", {2});
  model.node(type, inputs, outputs, std::move(attributes));
  for (const std::string& name : outputs) model.output(name);
  GraphData data = model.data();
  data.opsets = {{"", 18}};
  data.nodes[NodeId(0)].captured_inputs = {data.inputs[0]};
  return Graph(std::move(data));
}

NamedTensors inputs_of(bool condition, std::int64_t count) {
  return {{"x", singles({1, 10})},
          {"condition", flags({}, {static_cast<char>(condition)})},
          {"count", Tensor::int64_scalar(count)},
          {"start", singles({100, 200})}};
}

RunResult run(const Graph& model, const NamedTensors& inputs) {
  const ModelStep step(prepare_training_step(model, {}), inputs);
  return run_on_cpu(step.default_plan(), inputs);
}

Graph choice() {
  test::ModelBuilder yes;
  yes.node("Neg", {"x"}, {"negative"}).output("negative");
  test::ModelBuilder no;
  no.node("Add", {"x", "x"}, {"doubled"}).output("doubled");
  return model_of("If", {"condition"}, {"y"},
                  {{"then_branch", body_of(yes, {"x"})}, {"else_branch", body_of(no, {"x"})}});
}

TEST(If, RunsTheBranchThatTheConditionChooses) {
  EXPECT_THAT(numbers(run(choice(), inputs_of(true, 0)).outputs.at("y")), ElementsAre(-1, -10));
  EXPECT_THAT(numbers(run(choice(), inputs_of(false, 0)).outputs.at("y")), ElementsAre(2, 20));
}

TEST(If, HasItsOutputAsTheOnlyMemoryOfTheStep) {
  const NamedTensors inputs = inputs_of(true, 0);
  const ModelStep step(prepare_training_step(choice(), {}), inputs);
  const RunPlan plan = step.default_plan();
  const RunResult result = run_on_cpu(plan, inputs);
  EXPECT_EQ(result.measurement.live_bytes, plan.timeline.live_bytes);
}

/// Adds x to a sum and stacks every sum, until the sum's first element reaches 103.
Graph loop() {
  test::ModelBuilder body;
  body.input("i", {}, ElementType::int64).input("goes_on", {}, ElementType::boolean);
  body.input("sum", {2});
  body.declare("kept", {2}).weight("limit", {}, {103}).int64s("first", {0});
  body.node("Add", {"sum", "x"}, {"next"}).node("Identity", {"next"}, {"kept"});
  body.node("Gather", {"next", "first"}, {"head"}).node("Squeeze", {"head"}, {"head_number"});
  body.node("Less", {"head_number", "limit"}, {"still"});
  body.output("still").output("next").output("kept");
  return model_of("Loop", {"count", "condition", "start"}, {"sum", "sums"},
                  {{"body", body_of(body, {"x"})}});
}

TEST(Loop, EndsWithItsCountOrItsCondition) {
  const NamedTensors twice = run(loop(), inputs_of(true, 2)).outputs;
  EXPECT_THAT(numbers(twice.at("sum")), ElementsAre(102, 220));
  EXPECT_THAT(numbers(twice.at("sums")), ElementsAre(101, 210, 102, 220));
  EXPECT_THAT(twice.at("sums").dims(), ElementsAre(2, 2));
  EXPECT_THAT(numbers(run(loop(), inputs_of(true, 9)).outputs.at("sum")), ElementsAre(103, 230));
}

TEST(Loop, WithoutIterationsReturnsItsStart) {
  const NamedTensors none = run(loop(), inputs_of(false, 9)).outputs;
  EXPECT_THAT(numbers(none.at("sum")), ElementsAre(100, 200));
  EXPECT_THAT(none.at("sums").dims(), ElementsAre(0, 2));
}

/// Running sums of the elements of `x`, from the last element to the first.
Graph scan() {
  test::ModelBuilder body;
  body.input("sum", {}).input("item", {});
  body.node("Add", {"sum", "item"}, {"next"}).node("Identity", {"next"}, {"shown"});
  body.output("next").output("shown");
  test::ModelBuilder model;
  model.input("x", {3}).weight("zero", {}, {0});
  model.node("Scan", {"zero", "x"}, {"total", "sums"},
             {{"body", body_of(body, {})},
              {"num_scan_inputs", std::int64_t{1}},
              {"scan_input_directions", Integers{1}}});
  GraphData data = model.output("total").output("sums").data();
  data.opsets = {{"", 18}};
  return Graph(std::move(data));
}

TEST(Scan, GoesThroughItsInputsInTheirDirection) {
  const NamedTensors outputs = run(scan(), {{"x", singles({1, 2, 4})}}).outputs;
  EXPECT_THAT(numbers(outputs.at("total")), ElementsAre(7));
  EXPECT_THAT(numbers(outputs.at("sums")), ElementsAre(4, 6, 7));
}

TEST(Scan, WithoutIterationsStacksNothingAlongItsOutputAxis) {
  test::ModelBuilder body;
  body.input("sum", {2}).input("item", {2});
  body.node("Add", {"sum", "item"}, {"next"}).node("Identity", {"next"}, {"shown"});
  body.output("next").output("shown");
  test::ModelBuilder model;
  model.input("x", {0, 2}).weight("start", {2}, {5, 6});
  model.node("Scan", {"start", "x"}, {"total", "sums"},
             {{"body", body_of(body, {})},
              {"num_scan_inputs", std::int64_t{1}},
              {"scan_output_axes", Integers{-1}}});
  GraphData data = model.output("total").output("sums").data();
  data.opsets = {{"", 18}};
  const Tensor nothing(ElementType::float32, {0, 2}, std::string());
  const NamedTensors outputs = run(Graph(std::move(data)), {{"x", nothing}}).outputs;
  EXPECT_THAT(numbers(outputs.at("total")), ElementsAre(5, 6));
  EXPECT_THAT(outputs.at("sums").dims(), ElementsAre(2, 0));
}

TEST(ControlFlow, IsRefusedForOperatorsInsideThatHaveNoKernel) {
  test::ModelBuilder yes;
  yes.node("SequenceEmpty", {}, {"nothing"}).output("nothing");
  test::ModelBuilder no;
  no.node("Neg", {"x"}, {"negative"}).output("negative");
  const Graph model =
      model_of("If", {"condition"}, {"y"},
               {{"then_branch", body_of(yes, {})}, {"else_branch", body_of(no, {"x"})}});
  try {
    make_runner("cpu")->check(model);
    FAIL() << "nothing is refused";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("no kernel for: SequenceEmpty"));
  }
}

TEST(ControlFlow, StaysCancelledWhenItsNodeRuns) {
  const NamedTensors inputs = inputs_of(true, 0);
  const ModelStep step(prepare_training_step(choice(), {}), inputs);
  const RunPlan plan = step.default_plan();
  const Progress progress;
  const TraceSink cancel = [&](const TraceEvent& event) {
    if (event.kind == TraceEvent::Kind::node_start) progress.cancel();
  };
  try {
    make_runner("cpu")->run(plan, inputs, cancel, progress);
    FAIL() << "the run is not cancelled";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::cancelled);
  }
}

}  // namespace control_flow_test
}  // namespace stashscope
