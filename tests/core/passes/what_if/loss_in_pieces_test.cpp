// Which losses are computed in pieces, and what stops others.

#include "core/passes/what_if/loss_in_pieces.h"

#include <gtest/gtest.h>

#include "core/ops/rules/loss_rows.h"
#include "tests/support/loss_in_pieces.h"
#include "tests/support/model_builder.h"
#include "tests/support/passed.h"
#include "tests/support/shape_text.h"

namespace stashscope {
namespace loss_in_pieces_test {

using test::count;
using test::loss_in_pieces;
using test::LossInPieces;
using test::ModelBuilder;

constexpr std::int64_t width = 4;
constexpr std::int64_t classes = 20;

/// Hidden states `h` [N, 4] and labels [N].
ModelBuilder start(std::int64_t opset = 17) {
  ModelBuilder m(opset);
  m.input("x", {"N", width}).input("labels", {"N"}, ElementType::int64);
  m.weight("w0", {width, width}).weight("w", {width, classes}).weight("b", {classes});
  return m.node("MatMul", {"x", "w0"}, {"h"});
}

ModelBuilder& end(ModelBuilder& m, const std::string& scores, Attributes attributes = {}) {
  m.node("SoftmaxCrossEntropyLoss", {scores, "labels"}, {"loss"}, std::move(attributes));
  return m.output("loss");
}

const Node& joined(const LossInPieces& made) {
  EXPECT_EQ(made.replaced, 1U) << (made.stopped.empty() ? "" : made.stopped[0].reason);
  for (const Node& node : made.graph.nodes()) {
    if (node.op_type == "LinearCrossEntropyLoss") return node;
  }
  throw std::runtime_error("no loss in pieces");
}

std::string name_of(const LossInPieces& made, ValueId id) {
  return id.valid() ? made.graph.value(id).name : "";
}

/// Expects that the only loss is not replaced. Returns the reason.
std::string stop_of(const LossInPieces& made) {
  EXPECT_EQ(made.replaced, 0U);
  EXPECT_EQ(count(made.graph, "LinearCrossEntropyLoss"), 0U);
  EXPECT_EQ(made.stopped.size(), 1U);
  if (made.stopped.size() != 1) return "";
  EXPECT_EQ(made.stopped[0].node, "node 'make_loss' (SoftmaxCrossEntropyLoss)");
  return made.stopped[0].reason;
}

bool says(const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos) return true;
  ADD_FAILURE() << "'" << text << "' does not say '" << part << "'";
  return false;
}

TEST(LossInPieces, TakesTheProductAndKeepsWhatTheLossSays) {
  ModelBuilder m = start();
  m.node("MatMul", {"h", "w"}, {"scores"});
  end(m, "scores", {{"reduction", std::string("sum")}, {"ignore_index", std::int64_t{-7}}});
  const LossInPieces made = loss_in_pieces(m.build(), 3);
  const Node& node = joined(made);
  EXPECT_EQ(node.name, "make_loss");
  EXPECT_EQ(node.domain, "com.microsoft");
  ASSERT_EQ(node.inputs.size(), 3U);
  EXPECT_EQ(name_of(made, node.inputs[0]), "h");
  EXPECT_EQ(name_of(made, node.inputs[1]), "w");
  EXPECT_EQ(name_of(made, node.inputs[2]), "labels");
  EXPECT_EQ(node.attributes.integer("rows", 0), 3);
  EXPECT_EQ(node.attributes.text("reduction", ""), "sum");
  EXPECT_EQ(node.attributes.integer("ignore_index", 0), -7);
  EXPECT_FALSE(node.attributes.has("transposed"));
  EXPECT_EQ(made.graph.nodes().size(), 2U);
}

TEST(LossInPieces, TakesBiasClassWeightsFactorAndTransposition) {
  ModelBuilder m = start();
  m.weight("table", {classes, width}).weight("class_weights", {classes});
  m.constant("two", Tensor::float_scalar(ElementType::float32, 2));
  m.node("Transpose", {"table"}, {"t"}, {{"perm", Integers{1, 0}}});
  m.node("MatMul", {"h", "t"}, {"p"}).node("Div", {"p", "two"}, {"s"});
  m.node("Add", {"b", "s"}, {"scores"});
  m.node("SoftmaxCrossEntropyLoss", {"scores", "labels", "class_weights"}, {"loss"});
  GraphData data = m.output("loss").data();
  data.initializers.back().is_literal = true;
  const LossInPieces made = loss_in_pieces(Graph(std::move(data)), 3);
  const Node& node = joined(made);
  ASSERT_EQ(node.inputs.size(), 5U);
  EXPECT_EQ(name_of(made, node.inputs[1]), "table");
  EXPECT_EQ(name_of(made, node.inputs[3]), "b");
  EXPECT_EQ(name_of(made, node.inputs[4]), "class_weights");
  EXPECT_EQ(node.attributes.integer("transposed", 0), 1);
  EXPECT_EQ(node.attributes.real("scale", 0), 0.5F);
  EXPECT_EQ(count(made.graph, "Transpose"), 0U);
}

TEST(LossInPieces, TakesGemmAndItsFactor) {
  ModelBuilder m = start();
  m.weight("table", {classes, width});
  m.node("Gemm", {"h", "table", "b"}, {"scores"}, {{"transB", std::int64_t{1}}, {"alpha", 3.0F}});
  const LossInPieces made = loss_in_pieces(end(m, "scores").build(), 3);
  const Node& node = joined(made);
  EXPECT_EQ(name_of(made, node.inputs[3]), "b");
  EXPECT_EQ(node.attributes.integer("transposed", 0), 1);
  EXPECT_EQ(node.attributes.real("scale", 0), 3.0F);
}

/// The exporters' causal language models: the last position has no label.
TEST(LossInPieces, MovesSelectionsAndShapesOfRowsToTheHiddenStates) {
  ModelBuilder m;
  m.input("x", {"B", "S", width}).input("labels", {"B", "S"}, ElementType::int64);
  m.weight("w", {width, classes}).int64s("zero", {0}).int64s("one", {1}).int64s("last", {-1});
  m.int64s("most", {1000000}).int64s("flat", {-1, classes});
  m.node("Gelu", {"x"}, {"h"}, {}, "com.microsoft").node("MatMul", {"h", "w"}, {"p"});
  m.node("Slice", {"p", "zero", "last", "one"}, {"shifted"});
  m.node("Identity", {"shifted"}, {"copy"}).node("Reshape", {"copy", "flat"}, {"scores"});
  m.node("Slice", {"labels", "one", "most", "one"}, {"next"});
  m.node("Reshape", {"next", "last"}, {"targets"});
  m.node("SoftmaxCrossEntropyLoss", {"scores", "targets"}, {"loss"}).output("loss");
  const LossInPieces made = loss_in_pieces(m.build(), 0);
  const ValueId hidden = joined(made).inputs[0];
  const Shape& shape = *made.graph.value(hidden).type.shape;
  ASSERT_EQ(shape.size(), 2U);
  EXPECT_EQ(to_string(shape[0], made.graph.symbols()), "B*(S - 1)");
  EXPECT_TRUE(shape[1].is(width));
  EXPECT_EQ(count(made.graph, "MatMul") + count(made.graph, "Identity"), 0U);
}

TEST(LossInPieces, LetsNodesReadTheDimsOfTheScores) {
  ModelBuilder m(15);
  m.input("x", {"B", "S", width}).input("labels", {"N"}, ElementType::int64);
  m.weight("w", {width, classes}).int64s("flat", {-1, classes});
  m.node("Gelu", {"x"}, {"h"}, {}, "com.microsoft").node("MatMul", {"h", "w"}, {"p"});
  m.node("Shape", {"p"}, {"dims"}).node("Shape", {"p"}, {"two"}, {{"start", std::int64_t{1}}});
  m.node("Reshape", {"p", "flat"}, {"scores"});
  end(m, "scores").output("dims").output("two");
  const LossInPieces made = loss_in_pieces(m.build(), 0);
  joined(made);
  for (const char* name : {"dims", "two"}) {
    const auto& contents = made.graph.value(test::id_of(made.graph, name)).contents;
    ASSERT_NE(contents, nullptr) << name;
    EXPECT_EQ(to_string(contents->at(contents->size() - 2), made.graph.symbols()), "S");
    EXPECT_TRUE(contents->back().is(classes));
  }
  EXPECT_EQ(made.graph.value(test::id_of(made.graph, "dims")).contents->size(), 3U);
  EXPECT_EQ(made.graph.value(test::id_of(made.graph, "two")).contents->size(), 2U);
  EXPECT_EQ(count(made.graph, "MatMul"), 0U);
}

TEST(LossInPieces, TakesClassesThatATransposeMovesForward) {
  ModelBuilder m;
  m.input("x", {"B", "S", width}).input("labels", {"B", "S"}, ElementType::int64);
  m.weight("w", {width, classes}).node("MatMul", {"x", "w"}, {"p"});
  m.node("Transpose", {"p"}, {"scores"}, {{"perm", Integers{0, 2, 1}}});
  const LossInPieces made = loss_in_pieces(end(m, "scores").build(), 0);
  EXPECT_EQ(name_of(made, joined(made).inputs[0]), "x");
}

TEST(LossInPieces, TakesTheLogarithmOfASoftmax) {
  for (const bool in_steps : {false, true}) {
    ModelBuilder m = start();
    m.node("MatMul", {"h", "w"}, {"p"});
    if (in_steps) {
      m.node("Softmax", {"p"}, {"q"}).node("Log", {"q"}, {"scores"});
    } else {
      m.node("LogSoftmax", {"p"}, {"scores"});
    }
    m.node("NegativeLogLikelihoodLoss", {"scores", "labels"}, {"loss"}).output("loss");
    EXPECT_EQ(name_of(loss_in_pieces(m.build(), 0), joined(loss_in_pieces(m.build(), 0)).inputs[0]),
              "h");
  }
}

TEST(LossInPieces, TakesSelectedLabelsAndFoldedProducts) {
  ModelBuilder m = start();
  m.weight("table", {classes, width}).node("Transpose", {"table"}, {"t"});
  m.node("MatMul", {"h", "t"}, {"p"}).node("NonZero", {"labels"}, {"places"});
  m.int64s("one", {-1}).node("Reshape", {"places", "one"}, {"rows"});
  m.node("Gather", {"p", "rows"}, {"scores"}).node("Gather", {"labels", "rows"}, {"some"});
  m.node("SoftmaxCrossEntropyLoss", {"scores", "some"}, {"loss"}).output("loss");
  const LossInPieces made = loss_in_pieces(m.build(), 0, {"fuse_matmul"});
  EXPECT_EQ(joined(made).attributes.integer("transposed", 0), 1);
  EXPECT_EQ(count(made.graph, "Gather"), 2U);
}

TEST(LossInPieces, ComputesTheLossInFloat32BehindAProductOf16Bits) {
  ModelBuilder m = start();
  m.node("MatMul", {"h", "w"}, {"p"}).node("Add", {"p", "b"}, {"scores"});
  const LossInPieces made = loss_in_pieces(end(m, "scores").build(), 0, {}, ElementType::bfloat16);
  const Node& node = joined(made);
  EXPECT_EQ(made.graph.value(node.inputs[0]).type.element, ElementType::bfloat16);
  EXPECT_EQ(made.graph.value(node.inputs[1]).type.element, ElementType::bfloat16);
  EXPECT_EQ(made.graph.value(node.outputs[0]).type.element, ElementType::float32);
}

TEST(LossInPieces, IsStoppedByAnOutputOfTheScores) {
  ModelBuilder m = start();
  m.node("MatMul", {"h", "w"}, {"scores"});
  const Graph model = end(m, "scores").output("scores").build();
  const std::string reason = stop_of(loss_in_pieces(model, 3));
  says(reason, "'scores'");
  says(reason, "keep_loss_only");
  joined(loss_in_pieces(model, 3, {"keep_loss_only"}));
}

TEST(LossInPieces, IsStoppedByAnotherReader) {
  ModelBuilder m = start();
  m.node("MatMul", {"h", "w"}, {"scores"}).node("ArgMax", {"scores"}, {"best"});
  m.node("Neg", {"best"}, {"shown"});
  const std::string reason = stop_of(loss_in_pieces(end(m, "scores").output("shown").build(), 3));
  says(reason, "ArgMax");
  EXPECT_EQ(reason.find("keep_loss_only"), std::string::npos);
}

TEST(LossInPieces, IsStoppedByAnOutputInAnotherPrecision) {
  ModelBuilder m = start();
  m.node("MatMul", {"h", "w"}, {"scores"});
  m.node("Cast", {"scores"}, {"shown"}, {{"to", std::int64_t{10}}});
  says(stop_of(loss_in_pieces(end(m, "scores").output("shown").build(), 3)), "keep_loss_only");
}

TEST(LossInPieces, IsStoppedByLogProbabilitiesThatAreRead) {
  ModelBuilder m = start();
  m.node("MatMul", {"h", "w"}, {"scores"});
  m.node("SoftmaxCrossEntropyLoss", {"scores", "labels"}, {"loss", "log_prob"});
  says(stop_of(loss_in_pieces(m.output("loss").output("log_prob").build(), 3)),
       "log probabilities");
}

/// Each node stands between product and loss.
TEST(LossInPieces, IsStoppedByNodesThatItCannotApplyToHiddenStates) {
  const auto reason_of = [](const std::string& type, std::vector<std::string> inputs,
                            Attributes attributes = {}) {
    ModelBuilder m = start();
    m.weight("column", {1, classes}).int64s("zero", {0}).int64s("ten", {10}).int64s("axis", {1});
    m.node("MatMul", {"h", "w"}, {"p"}).node(type, inputs, {"scores"}, std::move(attributes));
    return stop_of(loss_in_pieces(end(m, "scores").build(), 3));
  };
  says(reason_of("Tanh", {"p"}), "no product");
  says(reason_of("Add", {"p", "column"}), "one number per class");
  says(reason_of("Mul", {"p", "b"}), "constant");
  says(reason_of("Slice", {"p", "zero", "ten", "axis"}), "selects classes");
  says(reason_of("Softmax", {"p"}), "without a logarithm");
  says(reason_of("Cast", {"p"}, {{"to", std::int64_t{11}}}), "precision");
}

TEST(LossInPieces, IsStoppedByAConvolution) {
  ModelBuilder m;
  m.input("x", {"N", 2, 4, 4}).input("labels", {"N", 4, 4}, ElementType::int64);
  m.weight("w", {3, 2, 1, 1}).node("Conv", {"x", "w"}, {"scores"});
  const std::string reason = stop_of(loss_in_pieces(end(m, "scores").build(), 3));
  says(reason, "Conv");
  says(reason, "no product");
}

/// x [rows, 4] -> scores [rows, classes]
Graph of_rows(std::int64_t rows, std::int64_t class_count) {
  ModelBuilder m;
  m.input("x", {rows, width}).input("labels", {rows}, ElementType::int64);
  m.weight("w", {width, class_count}).node("MatMul", {"x", "w"}, {"scores"});
  return end(m, "scores").build();
}

TEST(LossInPieces, IsStoppedWhereItGainsNothing) {
  EXPECT_EQ(stop_of(loss_in_pieces(of_rows(8, classes), 8)), "has only 8 rows");
  EXPECT_EQ(stop_of(loss_in_pieces(of_rows(1, classes), 0)), "has only 1 row");
  EXPECT_EQ(stop_of(loss_in_pieces(of_rows(64, classes), 0)), "has only 64 rows");
  joined(loss_in_pieces(of_rows(8, classes), 7));
  joined(loss_in_pieces(of_rows(65, classes), 0));
  says(stop_of(loss_in_pieces(of_rows(65, width), 0)), "has only 4 classes");
  joined(loss_in_pieces(of_rows(65, width), 7));
}

TEST(LossRows, HoldAsManyScoresAsThereAreHiddenNumbers) {
  EXPECT_EQ(default_loss_rows(8192, 768, 50257), 8192 * 768 / 50257);
  EXPECT_EQ(default_loss_rows(100, 4, 1000), 64) << "at least so many";
  EXPECT_EQ(default_loss_rows(10, 4, 1000), 10) << "at most all";
  EXPECT_EQ(default_loss_rows(100, 64, 8), 100) << "at most all";
  EXPECT_EQ(default_loss_rows(0, 64, 8), 1);
  EXPECT_EQ(loss_rows(0, 8192, 768, 50257), 8192 * 768 / 50257);
  EXPECT_EQ(loss_rows(7, 8192, 768, 50257), 7);
  EXPECT_EQ(loss_rows(7, 5, 768, 50257), 5);
}

}  // namespace loss_in_pieces_test
}  // namespace stashscope
