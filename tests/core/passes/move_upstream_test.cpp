// Selections of positions, and a Reshape in their way, move above the nodes that compute the data.

#include <gtest/gtest.h>

#include <limits>

#include <filesystem>
#include <set>

#include "core/onnx/model_file.h"
#include "tests/support/model_builder.h"
#include "tests/support/passed.h"
#include "tests/support/shape_text.h"

namespace stashscope {
namespace move_upstream_test {

using test::count;
using test::ModelBuilder;
using test::pass;
using test::Passed;
using test::shape_text;

TEST(MoveUpstream, ThinsTheRowsOfALargeProduct) {
  ModelBuilder m;
  m.input("x", {"B", "S", 8}).weight("w", {8, 1000}).int64s("from", {0}).int64s("to", {-1});
  m.int64s("axes", {1}).node("MatMul", {"x", "w"}, {"scores"});
  m.node("Slice", {"scores", "from", "to", "axes"}, {"kept"}).output("kept");
  const Passed passed = pass("move_upstream", m.build());
  EXPECT_EQ(passed.changed, 1U);
  ASSERT_EQ(passed.graph.nodes().size(), 2U);
  EXPECT_EQ(passed.graph.nodes()[NodeId(0)].op_type, "Slice");
  EXPECT_EQ(passed.graph.nodes()[NodeId(1)].op_type, "MatMul");
  EXPECT_EQ(passed.graph.value(passed.graph.nodes()[NodeId(1)].outputs[0]).name, "kept");
  EXPECT_TRUE(passed.graph.find_value("scores") && !passed.graph.nodes().empty());
}

TEST(MoveUpstream, LeavesAnAllReadResult) {
  ModelBuilder m;
  m.input("x", {"B", "S", 8}).weight("w", {8, 1000}).int64s("from", {0}).int64s("to", {-1});
  m.int64s("axes", {1}).node("MatMul", {"x", "w"}, {"scores"});
  m.node("Slice", {"scores", "from", "to", "axes"}, {"kept"}).output("kept").output("scores");
  EXPECT_EQ(pass("move_upstream", m.build()).changed, 0U);
}

TEST(MoveUpstream, KeepsTheBatchAxisOfChosenPositions) {
  ModelBuilder m;
  m.input("x", {4, 6, 4}).input("places", {4, 2, 1}, ElementType::int64);
  m.node("Transpose", {"x"}, {"t"}, {{"perm", Integers{2, 1, 0}}});
  m.node("GatherND", {"t", "places"}, {"y"}, {{"batch_dims", std::int64_t{1}}}).output("y");
  EXPECT_EQ(pass("move_upstream", m.build()).changed, 0U) << "axis 0 is another one above";
}

/// The types of the nodes, in order.
std::vector<std::string> types(const Graph& graph) {
  std::vector<std::string> result;
  for (const Node& node : graph.nodes()) result.push_back(node.op_type);
  return result;
}

/// A normalized input times weights plus a bias, flattened to rows that tests select by index.
ModelBuilder picked_rows() {
  ModelBuilder m;
  m.input("x", {"B", "S", 8}).input("rows", {"R"}, ElementType::int64);
  m.weight("scale", {8}).weight("w", {8, 20}).weight("bias", {20}).int64s("flat", {-1, 20});
  m.node("LayerNormalization", {"x", "scale"}, {"n"}, {{"axis", std::int64_t{2}}});
  m.node("MatMul", {"n", "w"}, {"p"}).node("Add", {"p", "bias"}, {"a"});
  m.node("Reshape", {"a", "flat"}, {"f"});
  return m;
}

TEST(MoveUpstream, TakesTheFlatteningReshapeAlong) {
  ModelBuilder m = picked_rows();
  m.int64s("one", {3}).node("Gather", {"f", "one"}, {"y"}).output("y");
  const Passed passed = pass("move_upstream", m.build());
  EXPECT_EQ(types(passed.graph),
            (std::vector<std::string>{"Reshape", "Gather", "LayerNormalization", "MatMul", "Add"}));
  EXPECT_EQ(shape_text(passed.graph, "y"), "1, 20");
  for (const Node& node : passed.graph.nodes()) {
    if (node.op_type == "LayerNormalization") {
      EXPECT_EQ(node.attributes.integer("axis", 0), -1);
    }
  }
}

TEST(MoveUpstream, LeavesAReshapeThatSplitsOrIsReadElsewhere) {
  ModelBuilder split = picked_rows();
  split.int64s("halves", {-1, 10}).int64s("one", {3}).node("Reshape", {"f", "halves"}, {"h"});
  split.node("Gather", {"h", "one"}, {"y"}).output("y");
  EXPECT_EQ(pass("move_upstream", split.build()).changed, 0U);
  ModelBuilder shared = picked_rows();
  shared.int64s("one", {3}).node("Gather", {"f", "one"}, {"y"}).output("y").output("a");
  EXPECT_EQ(pass("move_upstream", shared.build()).changed, 0U);
}

TEST(MoveUpstream, FlattensOnlyOperandsThatHaveTheMergedAxes) {
  ModelBuilder m;
  m.input("x", {"B", "S", 8}).input("mask", {"S", 1}).int64s("flat", {-1, 8}).int64s("one", {3});
  m.node("Mul", {"x", "mask"}, {"masked"}).node("Reshape", {"masked", "flat"}, {"f"});
  m.node("Gather", {"f", "one"}, {"y"}).output("y");
  EXPECT_EQ(pass("move_upstream", m.build()).changed, 0U) << "the mask repeats along the batch";
}

/// The head of a language model: a product with the vocabulary, flattened for its loss.
ModelBuilder head(Attributes loss = {{"ignore_index", std::int64_t{-100}}},
                  ElementType labels = ElementType::int64) {
  ModelBuilder m;
  m.input("x", {"B", "S", 8}).input("labels", {"B", "S"}, labels);
  m.weight("w", {8, 20}).int64s("flat", {-1, 20}).int64s("one_axis", {-1});
  m.node("MatMul", {"x", "w"}, {"p"}).node("Reshape", {"p", "flat"}, {"scores"});
  m.node("Reshape", {"labels", "one_axis"}, {"targets"});
  m.node("SoftmaxCrossEntropyLoss", {"scores", "targets"}, {"loss"}, std::move(loss));
  return m.output("loss");
}

TEST(LabelPositions, HandTheLossOnlyRowsWithALabel) {
  const Passed chosen = pass("label_positions", head().build());
  EXPECT_EQ(chosen.changed, 1U);
  EXPECT_EQ(count(chosen.graph, "NonZero"), 1U);
  EXPECT_EQ(count(chosen.graph, "Gather"), 2U);
  EXPECT_EQ(shape_text(chosen.graph, "labelled_scores_output"),
            "labelled_positions_output_dim1, 20");
  const Passed moved = pass("move_upstream", chosen.graph);
  EXPECT_GE(moved.changed, 1U);
  EXPECT_EQ(shape_text(moved.graph, "labelled_scores_output"),
            "labelled_positions_output_dim1, 20");
  const Node& last = moved.graph.node(
      moved.graph.value(test::id_of(moved.graph, "labelled_scores_output")).producer);
  EXPECT_EQ(last.op_type, "MatMul") << "the product has only those rows";
}

TEST(LabelPositions, AreAllNeededWhereTheLossIgnoresNone) {
  EXPECT_EQ(pass("label_positions", head({}).build()).changed, 0U);
  const Attributes each = {{"ignore_index", std::int64_t{-100}},
                           {"reduction", std::string("none")}};
  EXPECT_EQ(pass("label_positions", head(each).build()).changed, 0U) << "a loss for each position";
  const Attributes never = {{"ignore_index", std::numeric_limits<std::int64_t>::min()}};
  EXPECT_EQ(pass("label_positions", head(never, ElementType::int32).build()).changed, 0U);
  EXPECT_EQ(pass("label_positions", head(never).build()).changed, 1U);
  EXPECT_EQ(pass("label_positions", head().output("scores").build()).changed, 1U)
      << "who reads the scores still finds them";
}

TEST(LabelPositions, AreThoseOfSequencesOnly) {
  ModelBuilder m;
  m.input("x", {"N", 8}).input("labels", {"N"}, ElementType::int64).weight("w", {8, 20});
  m.node("MatMul", {"x", "w"}, {"scores"});
  m.node("SoftmaxCrossEntropyLoss", {"scores", "labels"}, {"loss"},
         {{"ignore_index", std::int64_t{-100}}});
  EXPECT_EQ(pass("label_positions", m.output("loss").build()).changed, 0U)
      << "one label for each picture is no choice";
}

TEST(MoveUpstream, GivesEveryNodeANameOfItsOwn) {
  ModelBuilder m = picked_rows();
  m.int64s("one", {3}).int64s("two", {4}).node("Gather", {"f", "one"}, {"y"});
  m.node("Relu", {"x"}, {"other"})
      .node("Gather", {"other", "one"}, {"u"}, {{"axis", std::int64_t{1}}});
  m.node("Neg", {"x"}, {"third"})
      .node("Gather", {"third", "two"}, {"v"}, {{"axis", std::int64_t{1}}});
  const Passed passed = pass("move_upstream", m.output("y").output("u").output("v").build());
  EXPECT_GE(passed.changed, 3U);
  std::set<std::string> names;
  for (const Node& node : passed.graph.nodes()) {
    EXPECT_TRUE(names.insert(node.name).second) << node.name;
  }
}

/// ONNX Runtime's test inputs for its moves of Gather and GatherND.
class ReferenceMoves : public testing::TestWithParam<std::pair<const char*, std::size_t>> {};

TEST_P(ReferenceMoves, AreFound) {
  const auto path = std::filesystem::path(STASHSCOPE_SHARED "/models/ort/transform") /
                    "computation_reduction" / GetParam().first;
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not there";
  EXPECT_EQ(pass("move_upstream", load_model(path)).changed, GetParam().second);
}

INSTANTIATE_TEST_SUITE_P(
    Files, ReferenceMoves,
    testing::Values(std::pair("gathernd_add.onnx", 2U), std::pair("gathernd_div.onnx", 2U),
                    std::pair("gathernd_gelu.onnx", 1U), std::pair("gathernd_matmul.onnx", 1U),
                    std::pair("gathernd_layernormalization.onnx", 1U),
                    std::pair("gather/gather_matmul_second_last_dim.onnx", 1U),
                    std::pair("gather/gather_matmul_scalar_second_last_dim.onnx", 1U),
                    std::pair("gather/gather_reshape_seqlen_dim.onnx", 1U),
                    std::pair("gathernd/e2e.onnx", 6U)));

}  // namespace move_upstream_test
}  // namespace stashscope
