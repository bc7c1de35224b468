#include "core/passes/training_step.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/passes/infer_shapes.h"
#include "core/passes/inline_branches.h"
#include "tests/support/model_builder.h"
#include "tests/support/shape_text.h"

namespace stashscope {
namespace training_step_test {

using test::ModelBuilder;
using test::shape_text;

/// A branch that applies one operator to the captured value `x`.
Subgraph branch(const std::string& op_type, const std::string& output, Attributes attributes = {}) {
  GraphData data =
      ModelBuilder().node(op_type, {"x"}, {output}, std::move(attributes)).output(output).data();
  data.captures = {ValueId(0)};
  return std::make_shared<const Graph>(std::move(data));
}

/// x -> If(condition) -> Neg -> y; one branch is Relu(x), the other Transpose(x).
Graph conditional(ModelBuilder m, const std::string& condition) {
  const Attributes branches = {{"then_branch", branch("Relu", "kept")},
                               {"else_branch", branch("Transpose", "turned")}};
  m.node("If", {condition}, {"chosen"}, branches).node("Neg", {"chosen"}, {"y"}).output("y");
  GraphData data = m.data();
  for (Node& node : data.nodes) {
    if (node.op_type == "If") node.captured_inputs = {ValueId(0)};
  }
  return Graph(std::move(data));
}

TEST(Branches, AKnownConditionTellsTheShapeAndIsInlined) {
  ModelBuilder m;
  m.input("x", {"N", 4}).int64s("four", {4}).int64s("one", {1});
  m.node("Shape", {"x"}, {"dims"}).node("Gather", {"dims", "one"}, {"width"});
  m.node("Equal", {"width", "four"}, {"is_four"});
  const Graph inferred = infer_shapes(conditional(m, "is_four"));
  EXPECT_EQ(shape_text(inferred, "y"), "N, 4");
  const auto inlined = inline_known_branches(inferred);
  ASSERT_TRUE(inlined);
  const bool any_if = std::any_of(inlined->nodes().begin(), inlined->nodes().end(),
                                  [](const Node& node) { return node.op_type == "If"; });
  EXPECT_FALSE(any_if);
  const ValueId chosen = test::id_of(*inlined, "chosen");
  EXPECT_EQ(inlined->node(inlined->value(chosen).producer).op_type, "Relu");
}

ValueId value_named(const GraphData& data, const std::string& name) {
  for (const ValueId id : IdRange<ValueId>(data.values.size())) {
    if (data.values[id].name == name) return id;
  }
  return ValueId();
}

/// An If whose condition is always true; its branch passes `taken`, a name of the outer graph, to
/// an inner If.
Graph nested_conditional() {
  ModelBuilder inside;
  inside.node("Abs", {"taken"}, {"deep"}).output("deep");
  GraphData deep = inside.data();
  deep.captures = {value_named(deep, "taken")};
  const auto body = std::make_shared<const Graph>(std::move(deep));
  ModelBuilder between;
  between.node("Relu", {"x"}, {"taken"}).input("flag", {1}, ElementType::boolean);
  between.node("If", {"flag"}, {"given"}, {{"then_branch", body}, {"else_branch", body}});
  GraphData outer = between.output("given").data();
  outer.inputs.clear();
  outer.captures = {value_named(outer, "x"), value_named(outer, "flag")};
  outer.nodes[NodeId(1)].captured_inputs = {value_named(outer, "taken")};
  const auto branch = std::make_shared<const Graph>(std::move(outer));
  ModelBuilder m;
  m.input("x", {4}).input("flag", {1}, ElementType::boolean).node("Neg", {"x"}, {"taken"});
  m.constant("yes", Tensor(ElementType::boolean, {}, std::string("\1", 1)));
  m.node("If", {"yes"}, {"chosen"}, {{"then_branch", branch}, {"else_branch", branch}});
  GraphData data = m.node("Add", {"chosen", "taken"}, {"y"}).output("y").data();
  data.nodes[NodeId(1)].captured_inputs = {data.inputs[0], data.inputs[1]};
  return Graph(std::move(data));
}

TEST(Branches, InlinedOnesKeepWhatTheirOwnSubgraphsRead) {
  const auto inlined = inline_known_branches(infer_shapes(nested_conditional()));
  ASSERT_TRUE(inlined);
  for (const Node& node : inlined->nodes()) {
    if (node.op_type != "If") continue;
    ASSERT_EQ(node.captured_inputs.size(), 1U);
    const ValueId read = node.captured_inputs[0];
    EXPECT_EQ(inlined->node(inlined->value(read).producer).op_type, "Relu");
    const GraphData& body = node.attributes.subgraph("then_branch")->data();
    EXPECT_EQ(body.values[body.captures.at(0)].name, inlined->value(read).name)
        << "the name of the outer graph's own value was taken";
  }
  EXPECT_EQ(shape_text(infer_shapes(*inlined), "y"), "4");
}

/// Declared shapes behind a YieldOp hold although the shapes of a branch disagree.
TEST(Branches, BehindAYieldAreOnlyWarnedAbout) {
  const auto with_branches = [](const std::string& read) {
    ModelBuilder inside;
    inside.weight("wide", {5}).node("Add", {read, "wide"}, {"sum"}).output("sum");
    GraphData data = inside.data();
    data.captures = {value_named(data, read)};
    const auto body = std::make_shared<const Graph>(std::move(data));
    ModelBuilder m;
    m.input("x", {4}).input("flag", {1}, ElementType::boolean);
    m.node("YieldOp", {"x"}, {"dx"}, {}, "com.microsoft").declare("dx", {4});
    m.node("If", {"flag"}, {"y"}, {{"then_branch", body}, {"else_branch", body}});
    GraphData whole = m.declare("y", {4}).output("y").data();
    whole.nodes[NodeId(1)].captured_inputs = {value_named(whole, read)};
    return Graph(std::move(whole));
  };
  EXPECT_THROW(infer_shapes(with_branches("x")), Error);
  EXPECT_EQ(shape_text(infer_shapes(with_branches("dx")), "y"), "4");
}

TEST(Branches, AnUnknownConditionLeavesWhatBothAgreeOn) {
  ModelBuilder m;
  m.input("x", {4, 6}).input("flag", {1}, ElementType::boolean);
  const Graph inferred = infer_shapes(conditional(m, "flag"));
  EXPECT_FALSE(inline_known_branches(inferred));
  const auto& shape = inferred.value(test::id_of(inferred, "y")).type.shape;
  ASSERT_TRUE(shape);
  EXPECT_EQ(shape->size(), 2U);
  EXPECT_FALSE((*shape)[0].integer());
}

TEST(Backward, HasTheOperatorsThatTrainingGraphsHave) {
  const TrainingStep step = prepare_training_step(test::perceptron().build(), {});
  std::vector<std::string> types;
  for (const Node& node : step.graph->nodes()) types.push_back(node.op_type);
  for (const char* type :
       {"YieldOp", "SoftmaxCrossEntropyLossGrad", "GeluGrad", "Gemm", "ReduceSum"}) {
    EXPECT_NE(std::find(types.begin(), types.end(), type), types.end()) << type;
  }
  for (const char* name : {"w1_grad", "b1_grad", "w2_grad", "loss_grad"}) {
    EXPECT_TRUE(step.graph->find_value(name)) << name;
  }
}

TEST(Backward, EveryValueOfItHasAShape) {
  const TrainingStep step = prepare_training_step(test::deep_perceptron(3).build(), {});
  for (const Value& value : step.graph->values()) {
    EXPECT_TRUE(value.type.shape) << value.name;
    EXPECT_NE(value.type.element, ElementType::undefined) << value.name;
  }
}

TEST(Backward, GradientsHaveTheirParametersShape) {
  const TrainingStep step = prepare_training_step(test::perceptron().build(), {});
  for (const Parameter& each : step.parameters) {
    EXPECT_EQ(step.graph->value(each.gradient).type, step.graph->value(each.value).type);
    EXPECT_TRUE(step.graph->is_graph_output(each.gradient));
  }
}

TEST(Backward, AValueReadTwiceGetsTheSumOfItsGradients) {
  ModelBuilder m;
  m.input("x", {4, 4}).weight("w", {4, 4});
  m.node("MatMul", {"x", "w"}, {"h"}).node("Tanh", {"h"}, {"a"}).node("Sigmoid", {"h"}, {"b"});
  m.node("Mul", {"a", "b"}, {"c"})
      .node("ReduceMean", {"c"}, {"loss"}, {{"keepdims", std::int64_t{0}}});
  const TrainingStep step = prepare_training_step(m.output("loss").build(), {});
  const ValueId gradient = test::id_of(*step.graph, "h_grad");
  EXPECT_EQ(step.graph->node(step.graph->value(gradient).producer).op_type, "Sum");
}

TEST(Backward, IntegersAndWhatOnlyDependsOnThemGetNone) {
  ModelBuilder m;
  m.input("ids", {"N"}, ElementType::int64).weight("table", {10, 4});
  m.node("Gather", {"table", "ids"}, {"rows"});
  m.node("ReduceMean", {"rows"}, {"loss"}, {{"keepdims", std::int64_t{0}}}).output("loss");
  const TrainingStep step = prepare_training_step(m.build(), {});
  EXPECT_TRUE(step.graph->find_value("table_grad"));
  EXPECT_FALSE(step.graph->find_value("ids_grad"));
}

TEST(Backward, ShapesItNeedsAreReadRightBehindTheirProducer) {
  ModelBuilder m;
  m.input("x", {"N", 4}).weight("w", {4, 4}).weight("b", {1, 4});
  m.node("MatMul", {"x", "w"}, {"h"})
      .node("ReduceSum", {"h"}, {"loss"}, {{"keepdims", std::int64_t{0}}});
  const TrainingStep step = prepare_training_step(m.output("loss").build(), {});
  for (const NodeId id : IdRange<NodeId>(step.graph->nodes().size())) {
    if (step.graph->node(id).op_type == "Shape") {
      EXPECT_LT(id, step.boundary.yield);
    }
  }
}

/// Projects x, rotates it by the tables `cos` and `sin`, and takes the mean.
Graph rotated_projection(const std::string& cos) {
  ModelBuilder m(23);
  m.input("x", {1, 2, 2, 4})
      .weight("w", {4, 4})
      .weight("stored", {1, 2, 2})
      .weight("sin", {1, 2, 2});
  m.node("MatMul", {"x", "w"}, {"h"}).node("Cos", {"stored"}, {"computed"});
  m.node("RotaryEmbedding", {"h", cos, "sin"}, {"y"});
  m.node("ReduceMean", {"y"}, {"loss"}, {{"keepdims", std::int64_t{0}}}).output("loss");
  return infer_shapes(m.build());
}

TEST(Backward, StoredRotationTablesAreBuffersAndComputedOnesHaveNoGradient) {
  const TrainingStep step = prepare_training_step(rotated_projection("stored"), {});
  EXPECT_EQ(step.no_backward, "");
  EXPECT_TRUE(step.graph->find_value("w_grad"));
  EXPECT_FALSE(step.graph->find_value("stored_grad"));
  const TrainingStep refused = prepare_training_step(rotated_projection("computed"), {});
  EXPECT_NE(refused.no_backward.find("RotaryEmbedding"), std::string::npos) << refused.no_backward;
}

TEST(Boundary, AGivenTrainingGraphIsTakenAsItIs) {
  const TrainingStep built = prepare_training_step(test::perceptron().build(), {});
  const TrainingStep found = find_boundary(built.graph);
  EXPECT_EQ(found.boundary, built.boundary);
  EXPECT_EQ(found.parameters.size(), built.parameters.size());
  EXPECT_TRUE(has_backward(*built.graph));
  EXPECT_FALSE(has_backward(test::perceptron().build()));
}

TEST(Boundary, WhatAnOptimizerOfOnnxUpdatesIsNoGradient) {
  ModelBuilder m;
  m.input("rate", {}).input("step", {}, ElementType::int64);
  m.weight("w", {4, 4}).input("slope", {4, 4}).weight("moment", {4, 4});
  m.node("Momentum", {"rate", "step", "w", "slope", "moment"}, {"w_new", "moment_new"},
         {{"alpha", 0.9F}, {"beta", 1.0F}, {"norm_coefficient", 0.0F}, {"mode", "standard"}},
         "ai.onnx.preview.training");
  const TrainingStep step =
      find_boundary(std::make_shared<const Graph>(m.output("w_new").output("moment_new").build()));
  EXPECT_TRUE(step.parameters.empty());
  EXPECT_TRUE(step.warnings.empty());
  EXPECT_TRUE(has_backward(*step.graph)) << "an optimizer occurs only in training graphs";
}

/// y = (x w + b) w; w is read once or twice.
Graph with_weights(bool reads_twice) {
  ModelBuilder m;
  m.input("x", {"N", 4}).weight("w", {4, 4}).weight("b", {4}).node("MatMul", {"x", "w"}, {"h"});
  m.node("Add", {"h", "b"}, {"s"});
  if (reads_twice) m.node("MatMul", {"s", "w"}, {"y"});
  m.node("ReduceMean", {reads_twice ? "y" : "s"}, {"loss"}, {{"keepdims", std::int64_t{0}}});
  return m.output("loss").build();
}

PassSelection keeping(ElementType gradient_type, ElementType precision = ElementType::undefined) {
  PassSelection selection;
  selection.gradient_type = gradient_type;
  selection.precision = precision;
  return selection;
}

TEST(GradientType, IsThatOfTheOutputsOnly) {
  for (const bool twice : {false, true}) {
    const TrainingStep step =
        prepare_training_step(with_weights(twice), {}, keeping(ElementType::bfloat16));
    ASSERT_EQ(step.parameters.size(), 2U);
    for (const Parameter& each : step.parameters) {
      const Value& gradient = step.graph->value(each.gradient);
      EXPECT_EQ(gradient.type.element, ElementType::bfloat16);
      EXPECT_EQ(gradient.name, step.graph->value(each.value).name + "_grad");
      const Node& cast = step.graph->node(gradient.producer);
      ASSERT_EQ(cast.op_type, "Cast");
      EXPECT_EQ(step.graph->value(cast.inputs[0]).type.element, ElementType::float32)
          << "gradients are added up before they are rounded";
    }
    EXPECT_TRUE(step.warnings.empty());
  }
}

std::size_t casts_to(const Graph& graph, ElementType element) {
  return static_cast<std::size_t>(std::ranges::count_if(graph.nodes(), [&](const Node& node) {
    return node.op_type == "Cast" && graph.value(node.outputs[0]).type.element == element;
  }));
}

TEST(GradientType, IsNotWidenedInMixedPrecision) {
  const auto casts = [](ElementType gradient_type) {
    const TrainingStep step = prepare_training_step(with_weights(false), {},
                                                    keeping(gradient_type, ElementType::bfloat16));
    return casts_to(*step.graph, ElementType::float32);
  };
  EXPECT_EQ(casts(ElementType::undefined), casts(ElementType::bfloat16) + 2)
      << "one for each parameter";
  EXPECT_EQ(casts(ElementType::float16), casts(ElementType::undefined))
      << "another type is reached through float32";
}

TEST(GradientType, ThatChangesNothingIsSaid) {
  ModelBuilder m;
  m.input("x", {"N", 4}, ElementType::float16);
  m.constant("w", Tensor(ElementType::float16, {4, 4}, std::string(32, '\0')));
  m.node("MatMul", {"x", "w"}, {"y"});
  m.node("ReduceMean", {"y"}, {"loss"}, {{"keepdims", std::int64_t{0}}}).output("loss");
  const TrainingStep half = prepare_training_step(m.build(), {}, keeping(ElementType::bfloat16));
  ASSERT_EQ(half.warnings.size(), 1U);
  EXPECT_NE(half.warnings[0].find("no trained parameter is float32"), std::string::npos);
  const Graph given = *prepare_training_step(with_weights(false), {}, {}).graph;
  const TrainingStep kept = prepare_training_step(given, {}, keeping(ElementType::bfloat16));
  const bool is_said = std::ranges::any_of(kept.warnings, [](const std::string& each) {
    return each.find("its gradients keep their types") != std::string::npos;
  });
  EXPECT_TRUE(is_said);
}

}  // namespace training_step_test
}  // namespace stashscope
