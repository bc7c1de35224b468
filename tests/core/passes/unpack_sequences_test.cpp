// Sequences of known tensors are replaced by these tensors.

#include "core/passes/unpack_sequences.h"

#include <gtest/gtest.h>

#include "core/passes/infer_shapes.h"
#include "core/passes/training_step.h"
#include "tests/support/model_builder.h"
#include "tests/support/shape_text.h"

namespace stashscope {
namespace unpack_sequences_test {

using test::ModelBuilder;
using test::shape_text;

/// The type and the inputs of each node.
std::string text_of(const Graph& graph) {
  std::string text;
  for (const Node& node : graph.nodes()) {
    text += node.op_type;
    for (const ValueId input : node.inputs) text += " " + graph.value(input).name;
    text += "; ";
  }
  return text;
}

Graph unpacked(const ModelBuilder& model) {
  const auto result = unpack_sequences(infer_shapes(model.build()));
  return result ? infer_shapes(*result) : model.build();
}

ModelBuilder two_tensors() {
  ModelBuilder m;
  m.input("a", {"N", 2}).input("b", {"N", 3}).input("c", {"N", 4});
  m.node("SequenceConstruct", {"a", "b"}, {"s"});
  return m;
}

TEST(Sequences, AreWhatTheirPartsAre) {
  ModelBuilder m = two_tensors();
  m.constant("first", Tensor::int64_scalar(0)).constant("last", Tensor::int64_scalar(-1));
  m.node("SequenceInsert", {"s", "c", "first"}, {"longer"});
  m.node("SequenceErase", {"longer", "last"}, {"shorter"});
  m.node("SequenceAt", {"shorter", "last"}, {"taken"}).node("Relu", {"taken"}, {"y"});
  m.node("ConcatFromSequence", {"longer"}, {"joined"}, {{"axis", std::int64_t{1}}});
  m.node("SequenceLength", {"shorter"}, {"length"});
  const Graph graph = unpacked(m.output("y").output("joined").output("length"));
  EXPECT_EQ(text_of(graph), "Identity a; Relu taken; Concat c a b; Identity make_length_length; ");
  EXPECT_EQ(shape_text(graph, "joined"), "N, 9");
  EXPECT_EQ(shape_text(graph, "y"), "N, 2");
}

TEST(Sequences, AreSplitIntoPartsAndSinglePositions) {
  ModelBuilder m;
  m.input("x", {7, 4}).constant("size", Tensor::int64_scalar(3)).int64s("sizes", {1, 6});
  m.constant("at", Tensor::int64_scalar(2));
  m.node("SplitToSequence", {"x", "size"}, {"chunks"}).node("SequenceAt", {"chunks", "at"}, {"u"});
  m.node("SplitToSequence", {"x"}, {"rows"}, {{"keepdims", std::int64_t{0}}});
  m.node("SequenceAt", {"rows", "at"}, {"v"}).node("SplitToSequence", {"x", "sizes"}, {"two"});
  m.node("ConcatFromSequence", {"two"}, {"w"}, {{"axis", std::int64_t{0}}});
  const Graph graph = unpacked(m.output("u").output("v").output("w"));
  EXPECT_EQ(shape_text(graph, "u"), "1, 4");
  EXPECT_EQ(shape_text(graph, "v"), "4");
  EXPECT_EQ(shape_text(graph, "w"), "7, 4");
}

TEST(Sequences, OfStackedTensorsHaveANewAxis) {
  ModelBuilder m;
  m.input("a", {"N", 2}).input("b", {"N", 2}).node("SequenceConstruct", {"a", "b"}, {"s"});
  m.node("ConcatFromSequence", {"s"}, {"y"},
         {{"axis", std::int64_t{1}}, {"new_axis", std::int64_t{1}}});
  EXPECT_EQ(shape_text(unpacked(m.output("y")), "y"), "N, 2, 2");
}

TEST(Sequences, ThatAreGivenOutOrReadAtUnknownPlacesStay) {
  EXPECT_FALSE(unpack_sequences(infer_shapes(two_tensors().output("s").build())));
  ModelBuilder m = two_tensors();
  m.input("at", {}, ElementType::int64).node("SequenceAt", {"s", "at"}, {"y"}).output("y");
  EXPECT_FALSE(unpack_sequences(infer_shapes(m.build())));
  ModelBuilder split;
  split.input("x", {2, 2}).node("SplitToSequence", {"x"}, {"s"});
  EXPECT_FALSE(unpack_sequences(infer_shapes(split.output("s").build())));
  split.constant("at", Tensor::int64_scalar(1)).node("SequenceAt", {"s", "at"}, {"y"});
  const auto both = unpack_sequences(infer_shapes(split.output("y").build()));
  ASSERT_TRUE(both) << "one use is known, the other is not";
  EXPECT_FALSE(unpack_sequences(infer_shapes(*both)));
  ModelBuilder outside = two_tensors();
  outside.constant("far", Tensor::int64_scalar(2)).node("SequenceAt", {"s", "far"}, {"y"});
  EXPECT_FALSE(unpack_sequences(infer_shapes(outside.output("y").build())));
}

TEST(Sequences, HaveGradientsThroughTheirParts) {
  ModelBuilder m;
  m.input("x", {4, 3}).weight("w", {3, 6}).node("MatMul", {"x", "w"}, {"h"});
  m.constant("size", Tensor::int64_scalar(2)).constant("at", Tensor::int64_scalar(1));
  m.node("SplitToSequence", {"h", "size"}, {"heads"}, {{"axis", std::int64_t{1}}});
  m.node("SequenceAt", {"heads", "at"}, {"head"});
  m.node("ReduceMean", {"head"}, {"loss"}, {{"keepdims", std::int64_t{0}}}).output("loss");
  const TrainingStep step = prepare_training_step(m.build(), {});
  ASSERT_EQ(step.parameters.size(), 1U);
  EXPECT_TRUE(step.warnings.empty());
}

/// Updates two weights with known gradients, whose moments are sequences from outside.
GraphData optimizer() {
  ModelBuilder m;
  m.input("rate", {1}).input("step", {1}, ElementType::int64).input("weights", {}).input("m1", {});
  m.input("m2", {}).input("g0", {3, 2}).input("g1", {4});
  m.node("SequenceConstruct", {"g0", "g1"}, {"gradients"});
  m.node("AdamWOptimizer", {"rate", "step", "weights", "gradients", "m1", "m2"}, {"updated"},
         {{"adam_mode", std::int64_t{1}}, {"weight_decay", 0.5F}}, "com.microsoft");
  GraphData data = m.output("updated").data();
  for (const std::size_t input : {2U, 3U, 4U}) {
    data.values[data.inputs[input]].type = {ElementType::undefined, std::nullopt, "sequence"};
  }
  return data;
}

TEST(AdamW, UpdatesOneTensorAfterTheOther) {
  const auto result = unpack_sequences(infer_shapes(Graph(optimizer())));
  ASSERT_TRUE(result);
  const Graph graph = infer_shapes(*result);
  EXPECT_EQ(text_of(graph),
            "AdamOptimizer rate step weights_0 g0 m1_0 m2_0; "
            "AdamOptimizer rate step weights_1 g1 m1_1 m2_1; Identity make_updated_updates; ");
  EXPECT_EQ(shape_text(graph, "weights_0_updated"), "3, 2");
  const Attributes& how = graph.nodes()[NodeId(0)].attributes;
  EXPECT_EQ(how.integer("weight_decay_mode", 0), 1);
  EXPECT_EQ(how.real("lambda", 0), 0.5F);
  EXPECT_EQ(how.real("epsilon", 0), 1e-8F) << "not AdamOptimizer's own default";
}

TEST(AdamW, OfSequencesThatNobodyKnowsStays) {
  GraphData data = optimizer();
  data.nodes[NodeId(0)].op_type = "Mystery";
  EXPECT_FALSE(unpack_sequences(infer_shapes(Graph(std::move(data)))));
}

}  // namespace unpack_sequences_test
}  // namespace stashscope
