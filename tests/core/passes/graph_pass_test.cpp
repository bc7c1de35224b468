#include "core/passes/graph_pass.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "core/base/error.h"
#include "core/onnx/model_file.h"
#include "core/passes/infer_shapes.h"
#include "core/passes/pass_effects.h"
#include "core/passes/training_step.h"
#include "tests/support/model_builder.h"
#include "tests/support/passed.h"
#include "tests/support/refusal.h"

namespace stashscope {
namespace graph_pass_test {

using test::count;
using test::ModelBuilder;
using test::pass;
using test::Passed;

Tensor number(float value) { return Tensor::float_scalar(ElementType::float32, double{value}); }

/// A builder whose constants are literals, like those of Constant nodes.
Graph with_literals(const ModelBuilder& model, const std::vector<std::string>& names) {
  GraphData data = model.data();
  for (Initializer& each : data.initializers) {
    const std::string& name = data.values[each.value].name;
    each.is_literal = std::find(names.begin(), names.end(), name) != names.end();
  }
  return Graph(std::move(data));
}

TEST(GraphPasses, AreFoundByName) {
  for (const GraphPass& each : graph_passes()) {
    EXPECT_EQ(find_pass(std::string(each.name)).name, each.name);
    EXPECT_FALSE(each.description.empty());
  }
  EXPECT_THROW(find_pass("no_such_pass"), Error);
}

/// `all` is a value of the option, not the name of a pass.
TEST(GraphPasses, ThatDoNotExistAreNotSkipped) {
  ModelBuilder m;
  m.input("x", {"N", 4}).node("Neg", {"x"}, {"y"}).output("y");
  for (const char* name : {"all", "no_such_pass"}) {
    const std::string said = test::refusal(
        ErrorKind::usage, [&] { prepare_training_step(m.build(), {}, {.names = {name}}); });
    EXPECT_NE(said.find(name), std::string::npos) << said;
  }
}

TEST(FoldConstants, ComputesLiteralsAndLeavesWeights) {
  ModelBuilder m;
  m.input("x", {"N", 4}).weight("w", {4}).constant("a", number(3)).constant("b", number(0.3F));
  m.node("Div", {"a", "b"}, {"c"}).node("Sqrt", {"c"}, {"d"}).node("Sqrt", {"w"}, {"e"});
  m.node("Mul", {"x", "d"}, {"y"}).node("Mul", {"y", "e"}, {"z"}).output("z");
  const Passed passed = pass("fold_constants", with_literals(m, {"a", "b"}));
  EXPECT_EQ(count(passed.graph, "Div"), 0U);
  EXPECT_EQ(count(passed.graph, "Sqrt"), 1U);
  const Initializer* const folded = passed.graph.initializer(test::id_of(passed.graph, "d"));
  ASSERT_NE(folded, nullptr);
  EXPECT_FLOAT_EQ(static_cast<float>(folded->tensor.reals()->front()), std::sqrt(3 / 0.3F));
}

TEST(CleanShapes, SpellsOutAComputedShape) {
  ModelBuilder m;
  m.input("x", {"N", "S", 12}).int64s("axis", {0}).int64s("heads", {3, 4});
  m.constant("zero", Tensor::int64_scalar(0));
  m.node("Shape", {"x"}, {"shape"}).node("Gather", {"shape", "zero"}, {"n"});
  m.node("Unsqueeze", {"n", "axis"}, {"n1"}).int64s("rest", {-1});
  m.node("Concat", {"n1", "rest", "heads"}, {"to"}, {{"axis", std::int64_t{0}}});
  m.node("Reshape", {"x", "to"}, {"y"}).node("Relu", {"y"}, {"z"}).output("z");
  const Passed passed = pass("clean_shapes", m.build());
  EXPECT_EQ(passed.graph.nodes().size(), 2U);
  const Node& reshape = passed.graph.nodes()[NodeId(0)];
  EXPECT_EQ(*passed.graph.initializer(reshape.inputs[1])->tensor.integers(),
            (std::vector<std::int64_t>{0, 0, 3, 4}));
}

TEST(CleanShapes, KeepsWhatIsAnOutput) {
  ModelBuilder m;
  m.input("x", {"N"}).node("Identity", {"x"}, {"y"}).output("y");
  EXPECT_EQ(pass("clean_shapes", m.build()).changed, 0U);
}

TEST(CleanShapes, KeepsAReversingSlice) {
  ModelBuilder m;
  m.input("x", {4}).int64s("from", {-1}).int64s("to", {-100}).int64s("axes", {0});
  m.int64s("steps", {-1}).node("Slice", {"x", "from", "to", "axes", "steps"}, {"y"});
  m.node("Relu", {"y"}, {"z"}).output("z");
  EXPECT_EQ(pass("clean_shapes", m.build()).changed, 0U);
}

TEST(CommonSubexpressions, AreComputedOnceUnlessRandom) {
  ModelBuilder m;
  m.input("x", {"N"}).constant("half", number(0.5F));
  m.constant("on", Tensor(ElementType::boolean, {}, std::string(1, '\1')));
  for (const std::string i : {"1", "2"}) {
    m.node("Exp", {"x"}, {"e" + i}).node("Tanh", {"e" + i}, {"t" + i});
    m.node("Dropout", {"t" + i, "half", "on"}, {"d" + i});
  }
  m.node("Add", {"d1", "d2"}, {"y"}).output("y");
  const Passed passed = pass("common_subexpressions", m.build());
  EXPECT_EQ(count(passed.graph, "Tanh"), 1U);
  EXPECT_EQ(count(passed.graph, "Dropout"), 2U);
}

/// (x - mean) / sqrt(variance + epsilon) * scale + bias
ModelBuilder layer_norm(const Attributes& last = {{"axes", Integers{-1}}},
                        const std::vector<std::int64_t>& affine = {8}, bool has_batch = true) {
  ModelBuilder m;
  m.input("x", {has_batch ? ModelBuilder::Dim("N") : ModelBuilder::Dim(4), 8});
  m.weight("scale", affine).weight("bias", affine);
  m.constant("two", number(2)).constant("epsilon", number(1e-5F));
  m.node("ReduceMean", {"x"}, {"mean"}, last).node("Sub", {"x", "mean"}, {"centred"});
  m.node("Pow", {"centred", "two"}, {"square"}).node("ReduceMean", {"square"}, {"var"}, last);
  m.node("Add", {"var", "epsilon"}, {"sum"}).node("Sqrt", {"sum"}, {"root"});
  m.node("Div", {"centred", "root"}, {"normal"}).node("Mul", {"scale", "normal"}, {"scaled"});
  return m.node("Add", {"scaled", "bias"}, {"y"}).output("y");
}

TEST(FuseLayerNormalization, FindsTheStepsAndKeepsTheNames) {
  const Passed passed =
      pass("fuse_layer_normalization", with_literals(layer_norm(), {"two", "epsilon"}));
  ASSERT_EQ(passed.graph.nodes().size(), 1U);
  const Node& fused = passed.graph.nodes()[NodeId(0)];
  EXPECT_EQ(fused.op_type, "LayerNormalization");
  EXPECT_EQ(fused.name, "make_y");
  EXPECT_EQ(passed.graph.value(fused.outputs[0]).name, "y");
  EXPECT_FLOAT_EQ(fused.attributes.real("epsilon", 0), 1e-5F);
}

TEST(FuseLayerNormalization, LeavesStepsThatOthersRead) {
  for (const char* read : {"mean", "centred", "root", "normal"}) {
    ModelBuilder as_output = layer_norm().output(read);
    const std::vector<std::string> literals = {"two", "epsilon"};
    EXPECT_EQ(pass("fuse_layer_normalization", with_literals(as_output, literals)).changed, 0U);
    ModelBuilder as_input = layer_norm().node("Relu", {read}, {"z"}).output("z");
    EXPECT_EQ(pass("fuse_layer_normalization", with_literals(as_input, literals)).changed, 0U);
  }
}

/// A mean without axes is that of all elements, unless an attribute says that it is none.
TEST(FuseLayerNormalization, NormalizesAllAxesIfNoneIsNamed) {
  const auto fused = [](const Attributes& mean, const std::vector<std::int64_t>& affine) {
    return pass("fuse_layer_normalization",
                with_literals(layer_norm(mean, affine, false), {"two", "epsilon"}));
  };
  const Passed all = fused({}, {4, 8});
  ASSERT_EQ(all.graph.nodes().size(), 1U);
  EXPECT_EQ(all.graph.nodes()[NodeId(0)].attributes.integer("axis", 0), -2);
  EXPECT_EQ(fused({}, {8}).changed, 0U) << "the scale is that of the last axis";
  EXPECT_EQ(fused({{"noop_with_empty_axes", std::int64_t{1}}}, {4, 8}).changed, 0U);
}

TEST(FuseLayerNormalization, TakesNoTrainedNumberForTheExponent) {
  EXPECT_EQ(pass("fuse_layer_normalization", with_literals(layer_norm(), {"epsilon"})).changed, 0U);
}

TEST(PassesWithEffect, LeaveOutAPassThatAnotherContains) {
  const Graph model = with_literals(layer_norm(), {"two", "epsilon"});
  EXPECT_GT(pass("fuse_rms_normalization", model).changed, 0U);
  const auto found = passes_with_effect(model, TrainingGoal(), PassSelection(), 100);
  EXPECT_EQ(std::ranges::count(found, &find_pass("fuse_layer_normalization")), 1);
  EXPECT_EQ(std::ranges::count(found, &find_pass("fuse_rms_normalization")), 0);
}

TEST(FuseRmsNormalization, FindsTheReciprocalForm) {
  ModelBuilder m;
  m.input("x", {"N", 8}).weight("scale", {8}).constant("two", number(2));
  m.constant("one", number(1)).constant("epsilon", number(1e-6F));
  m.node("Pow", {"x", "two"}, {"square"});
  m.node("ReduceMean", {"square"}, {"mean"}, {{"axes", Integers{-1}}});
  m.node("Add", {"mean", "epsilon"}, {"sum"}).node("Sqrt", {"sum"}, {"root"});
  m.node("Div", {"one", "root"}, {"inverse"}).node("Mul", {"x", "inverse"}, {"normal"});
  m.node("Mul", {"scale", "normal"}, {"y"}).output("y");
  const Passed passed = pass("fuse_rms_normalization", with_literals(m, {"two", "one", "epsilon"}));
  EXPECT_EQ(count(passed.graph, "SimplifiedLayerNormalization"), 1U);
  EXPECT_EQ(passed.graph.nodes().size(), 1U);
}

/// x * (1 + erf(x / sqrt 2)) / 2, with the factor one half in each place where exporters write it.
ModelBuilder erf_gelu(int form) {
  ModelBuilder m;
  m.input("x", {"N", 8}).constant("root", number(std::sqrt(2.0F))).constant("one", number(1));
  m.constant("half", number(0.5F)).node("Div", {"x", "root"}, {"d"}).node("Erf", {"d"}, {"e"});
  m.node("Add", {"e", "one"}, {"f"});
  if (form == 0) m.node("Mul", {"x", "f"}, {"g"}).node("Mul", {"g", "half"}, {"y"});
  if (form == 1) m.node("Mul", {"half", "x"}, {"g"}).node("Mul", {"f", "g"}, {"y"});
  if (form == 2) m.node("Mul", {"f", "half"}, {"g"}).node("Mul", {"x", "g"}, {"y"});
  return m.output("y");
}

TEST(FuseGelu, FindsEveryForm) {
  for (const int form : {0, 1, 2}) {
    const Passed passed = pass("fuse_gelu", with_literals(erf_gelu(form), {"root", "one", "half"}));
    EXPECT_EQ(passed.graph.nodes().size(), 1U) << form;
    EXPECT_EQ(count(passed.graph, "Gelu"), 1U) << form;
  }
}

TEST(FuseGelu, WantsTheRightNumbers) {
  ModelBuilder m = erf_gelu(0);
  GraphData data = with_literals(m, {"root", "one", "half"}).data();
  for (Initializer& each : data.initializers) {
    if (data.values[each.value].name == "root") each.tensor = number(1.42F);
  }
  EXPECT_EQ(pass("fuse_gelu", Graph(std::move(data))).changed, 0U);
}

TEST(FuseGelu, FindsSwish) {
  ModelBuilder m;
  m.input("x", {"N", 8}).node("Sigmoid", {"x"}, {"s"}).node("Mul", {"x", "s"}, {"y"}).output("y");
  const Passed passed = pass("fuse_gelu", m.build());
  ASSERT_EQ(passed.graph.nodes().size(), 1U);
  EXPECT_EQ(passed.graph.nodes()[NodeId(0)].attributes.real("alpha", 0), 1.0F);
}

TEST(FuseBiasGelu, TakesARowInEitherPlace) {
  for (const bool bias_first : {false, true}) {
    ModelBuilder m;
    m.input("x", {"N", 8}).weight("b", {8});
    m.node("Add",
           bias_first ? std::vector<std::string>{"b", "x"} : std::vector<std::string>{"x", "b"},
           {"a"});
    m.node("Gelu", {"a"}, {"y"}, {}, "com.microsoft").output("y");
    const Passed passed = pass("fuse_bias_gelu", m.build());
    ASSERT_EQ(passed.graph.nodes().size(), 1U);
    const Node& fused = passed.graph.nodes()[NodeId(0)];
    EXPECT_EQ(passed.graph.value(fused.inputs[1]).name, "b");
  }
}

TEST(FuseSoftmaxCrossEntropy, JoinsLogSoftmaxAndLoss) {
  ModelBuilder m;
  m.input("x", {"N", 8}).input("labels", {"N"}, ElementType::int64);
  m.node("LogSoftmax", {"x"}, {"l"}, {{"axis", std::int64_t{1}}});
  m.node("NegativeLogLikelihoodLoss", {"l", "labels"}, {"loss"},
         {{"reduction", std::string("sum")}, {"ignore_index", std::int64_t{3}}});
  const Passed passed = pass("fuse_softmax_cross_entropy", m.output("loss").build());
  ASSERT_EQ(passed.graph.nodes().size(), 1U);
  const Node& fused = passed.graph.nodes()[NodeId(0)];
  EXPECT_EQ(fused.op_type, "SoftmaxCrossEntropyLoss");
  EXPECT_EQ(fused.attributes.text("reduction", ""), "sum");
  EXPECT_EQ(fused.attributes.integer("ignore_index", -1), 3);
}

TEST(FuseBiasSoftmax, SaysAlongWhichAxesTheBiasRepeats) {
  struct Case {
    std::vector<ModelBuilder::Dim> bias;
    std::size_t found;
    std::int64_t inner;
  };
  for (const Case& each :
       {Case{{"B", 1, 1, "S"}, 1, 1}, Case{{1, 1, "T", "S"}, 1, 0}, Case{{"S"}, 1, 0},
        Case{{1, 4, 1, "S"}, 0, 0}, Case{{"B", 1, 1, 1}, 0, 0}}) {
    ModelBuilder m;
    m.input("x", {"B", 4, "T", "S"}).input("bias", each.bias).node("Add", {"x", "bias"}, {"a"});
    const Passed passed =
        pass("fuse_bias_softmax", m.node("Softmax", {"a"}, {"y"}).output("y").build());
    ASSERT_EQ(passed.changed, each.found);
    if (each.found == 0) continue;
    const Node& fused = passed.graph.nodes()[NodeId(0)];
    EXPECT_EQ(fused.attributes.integer("is_inner_broadcast", -1), each.inner);
    EXPECT_EQ(fused.attributes.integer("axis", -1), 3);
  }
}

TEST(FuseBiasDropout, TakesTheResidualToo) {
  ModelBuilder m;
  m.input("x", {"N", 8}).input("r", {"N", 8}).weight("b", {8}).constant("ratio", number(0.1F));
  m.constant("on", Tensor(ElementType::boolean, {}, std::string(1, '\1')));
  m.node("Add", {"x", "b"}, {"a"}).node("Dropout", {"a", "ratio", "on"}, {"d", "mask"});
  m.node("Add", {"r", "d"}, {"y"}).output("y");
  const Passed passed = pass("fuse_bias_dropout", m.build());
  ASSERT_EQ(passed.graph.nodes().size(), 1U);
  EXPECT_EQ(passed.graph.nodes()[NodeId(0)].inputs.size(), 5U);
}

TEST(FuseMatmul, TakesTranspositionsAndFactors) {
  ModelBuilder m;
  m.input("x", {"N", 8}).weight("w", {4, 8}).constant("c", number(4));
  m.node("Transpose", {"w"}, {"t"}, {{"perm", Integers{1, 0}}});
  m.node("MatMul", {"x", "t"}, {"p"}).node("Div", {"p", "c"}, {"y"}).output("y");
  const Passed passed = pass("fuse_matmul", with_literals(m, {"c"}));
  ASSERT_EQ(passed.graph.nodes().size(), 1U);
  const Attributes& fused = passed.graph.nodes()[NodeId(0)].attributes;
  EXPECT_EQ(fused.integer("transB", 0), 1);
  EXPECT_EQ(fused.real("alpha", 0), 0.25F);
}

TEST(FuseGelu, KeepsTheDimsThatNumbersWithMoreAxesGive) {
  ModelBuilder m;
  const auto rank3 = [](double value) {
    const auto single = static_cast<float>(value);
    return Tensor(ElementType::float32, {1, 1, 1},
                  std::string(reinterpret_cast<const char*>(&single), sizeof(float)));
  };
  m.input("x", {3, 8}).constant("root", rank3(std::sqrt(2))).constant("one", number(1));
  m.constant("half", number(0.5F)).node("Div", {"x", "root"}, {"d"}).node("Erf", {"d"}, {"e"});
  m.node("Add", {"e", "one"}, {"f"}).node("Mul", {"x", "f"}, {"p"});
  m.node("Mul", {"p", "half"}, {"y"}).output("y");
  EXPECT_EQ(pass("fuse_gelu", with_literals(m, {"root", "one", "half"})).changed, 0U);
}

TEST(FuseMatMul, LeavesMovedBatchAxesVectorsAndDoublesAlone) {
  ModelBuilder moved;
  moved.input("x", {3, 2, 4}).input("w", {4, 5, 3});
  moved.node("Transpose", {"w"}, {"t"}, {{"perm", Integers{0, 2, 1}}});
  moved.node("FusedMatMul", {"x", "t"}, {"y"}, {{"transBatchB", std::int64_t{1}}}, "com.microsoft");
  EXPECT_EQ(pass("fuse_matmul", moved.output("y").build()).changed, 0U);
  ModelBuilder vectors;
  vectors.input("x", {4}).weight("w", {4}).constant("c", number(4));
  vectors.node("MatMul", {"x", "w"}, {"p"}).node("Mul", {"p", "c"}, {"y"}).output("y");
  EXPECT_EQ(pass("fuse_matmul", with_literals(vectors, {"c"})).changed, 0U);
  ModelBuilder doubles;
  doubles.input("x", {2, 4}, ElementType::float64).input("w", {4, 4}, ElementType::float64);
  doubles.constant("c", Tensor::float_scalar(ElementType::float64, 0.1));
  doubles.node("MatMul", {"x", "w"}, {"p"}).node("Mul", {"p", "c"}, {"y"}).output("y");
  EXPECT_EQ(pass("fuse_matmul", with_literals(doubles, {"c"})).changed, 0U) << "alpha has 24 bits";
}

TEST(KeepLossOnly, FreesTheScoresForTheMove) {
  const Passed passed = pass("keep_loss_only", test::perceptron().build());
  EXPECT_EQ(passed.changed, 1U);
  ASSERT_EQ(passed.graph.data().outputs.size(), 1U);
  EXPECT_EQ(passed.graph.value(passed.graph.data().outputs[0]).name, "loss");
}

TEST(MixedPrecision, LowersProductsAndKeepsWeightsAndTheirGradientsFull) {
  PassSelection selection;
  selection.precision = ElementType::bfloat16;
  const TrainingStep step = prepare_training_step(test::perceptron().build(), {}, selection);
  const Graph& graph = *step.graph;
  const auto element = [&](const char* name) {
    return graph.value(test::id_of(graph, name)).type.element;
  };
  EXPECT_EQ(element("h"), ElementType::bfloat16);
  EXPECT_EQ(element("a"), ElementType::bfloat16) << "the bias belongs to the linear layer";
  EXPECT_EQ(element("g"), ElementType::bfloat16) << "what is between follows";
  EXPECT_EQ(element("loss"), ElementType::float32);
  ASSERT_EQ(step.parameters.size(), 3U);
  for (const Parameter& each : step.parameters) {
    EXPECT_EQ(graph.value(each.value).type.element, ElementType::float32);
    EXPECT_EQ(graph.value(each.gradient).type.element, ElementType::float32);
  }
  EXPECT_EQ(step.passes.at(0).name, mixed_precision_name);
}

TEST(MixedPrecision, SharesTheCastOfAWeight) {
  ModelBuilder m;
  m.input("x", {"N", 4}).weight("w", {4, 4}).node("MatMul", {"x", "w"}, {"h"});
  m.node("MatMul", {"h", "w"}, {"y"}).output("y");
  PassSelection selection;
  selection.precision = ElementType::float16;
  const Graph graph = apply_passes(infer_shapes(m.build()), {}, selection).graph;
  EXPECT_EQ(count(graph, "Cast"), 2U) << "one of x, one of w";
}

/// The graph in mixed precision, with inferred shapes and types.
Graph mixed(const ModelBuilder& model) {
  PassSelection selection;
  selection.precision = ElementType::float16;
  return infer_shapes(apply_passes(infer_shapes(model.build()), {}, selection).graph);
}

TEST(MixedPrecision, NarrowsALimitWithAxesToTheLowestNumber) {
  ModelBuilder m;
  m.input("x", {"N", 4}).weight("w", {4, 4}).weight("low", {1}, {-3.4e38F});
  m.node("MatMul", {"x", "w"}, {"h"}).node("Add", {"h", "low"}, {"s"});
  m.node("MatMul", {"s", "w"}, {"y"}).output("y");
  PassSelection selection;
  selection.precision = ElementType::float16;
  const Graph graph = apply_passes(infer_shapes(with_literals(m, {"low"})), {}, selection).graph;
  const Node& sum = graph.node(graph.value(test::id_of(graph, "s")).producer);
  const Initializer* const low = graph.initializer(sum.inputs[1]);
  ASSERT_NE(low, nullptr);
  EXPECT_EQ(low->tensor.dims(), std::vector<std::int64_t>{1});
  EXPECT_EQ(low->tensor.reals()->front(), -65504);
}

TEST(MixedPrecision, LeavesTheTypesOfSubgraphsAndOfOwnTypesAlone) {
  ModelBuilder body;
  body.input("i", {}, ElementType::int64).input("go", {}, ElementType::boolean).input("state", {4});
  body.weight("one", {4}).node("Add", {"state", "one"}, {"next"}).output("go").output("next");
  GraphData inside = body.data();
  ModelBuilder m;
  m.input("x", {4, 4}).weight("w", {4, 4}).int64s("dims", {4});
  m.node("MatMul", {"x", "w"}, {"h"})
      .node("ReduceMax", {"h"}, {"state"}, {{"axes", Integers{0}}, {"keepdims", std::int64_t{0}}});
  m.constant("times", Tensor::int64_scalar(2));
  m.node("Loop", {"times", "", "state"}, {"final"},
         {{"body", std::make_shared<const Graph>(std::move(inside))}});
  m.node("EyeLike", {"h"}, {"eye"}, {{"dtype", std::int64_t{1}}}).node("Add", {"h", "eye"}, {"y"});
  const Graph graph = mixed(m.output("final").output("y"));
  EXPECT_EQ(graph.value(test::id_of(graph, "h")).type.element, ElementType::float16);
  EXPECT_EQ(graph.value(test::id_of(graph, "final")).type.element, ElementType::float32);
  EXPECT_EQ(graph.value(test::id_of(graph, "eye")).type.element, ElementType::float32);
}

TEST(MixedPrecision, HasGradientsOfFixedBatchNormalization) {
  ModelBuilder m;
  m.input("x", {"N", 3, 5}).weight("w", {4, 3, 1}).weight("scale", {4}).weight("shift", {4});
  m.weight("mean", {4}).weight("variance", {4}).node("Conv", {"x", "w"}, {"c"});
  m.node("BatchNormalization", {"c", "scale", "shift", "mean", "variance"}, {"n"});
  m.node("ReduceMean", {"n"}, {"loss"}, {{"keepdims", std::int64_t{0}}}).output("loss");
  PassSelection selection;
  selection.precision = ElementType::float16;
  TrainingGoal goal;
  goal.frozen = {"mean", "variance"};
  const TrainingStep step = prepare_training_step(m.build(), goal, selection);
  ASSERT_EQ(step.parameters.size(), 3U);
  for (const Parameter& each : step.parameters) {
    EXPECT_EQ(step.graph->value(each.gradient).type.element, ElementType::float32);
  }
}

TEST(GraphPasses, RefuseAWhatIfThatDoesNotExist) {
  PassSelection selection;
  selection.what_ifs = {{"attention", "flash"}, {"nonsense", "1"}};
  const std::string message = test::refusal(
      ErrorKind::usage, [&] { apply_passes(test::perceptron().build(), {}, selection); });
  EXPECT_TRUE(message.starts_with("what-if 'nonsense': does not exist; choose among")) << message;
}

TEST(GraphPasses, AreLeftOutWhereTheBackwardPassIsThere) {
  const TrainingStep built = prepare_training_step(test::perceptron().build(), {});
  const PassSelection selection{{"fold_constants"}, ElementType::undefined, {}};
  const TrainingStep again = prepare_training_step(*built.graph, {}, selection);
  EXPECT_TRUE(again.passes.empty());
  ASSERT_EQ(again.warnings.size(), 1U);
  EXPECT_NE(again.warnings[0].find("no graph pass is applied"), std::string::npos);
}

}  // namespace graph_pass_test
}  // namespace stashscope
