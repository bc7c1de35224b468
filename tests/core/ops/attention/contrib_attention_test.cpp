// Shapes and work of the attention operators of ONNX Runtime.

#include <gtest/gtest.h>

#include "core/ops/families/standard_ops.h"
#include "core/passes/infer_shapes.h"
#include "tests/support/model_builder.h"
#include "tests/support/refusal.h"
#include "tests/support/shape_text.h"

namespace stashscope {
namespace contrib_attention_ops_test {

using test::ModelBuilder;

/// The shapes of the outputs y0, y1, ...
std::vector<std::string> shapes(const ModelBuilder& model, std::size_t outputs) {
  return test::output_shapes(infer_shapes(model.build()), outputs);
}

using Texts = std::vector<std::string>;

Attributes heads(std::int64_t queries, std::int64_t keys = 0) {
  Attributes made = {{"num_heads", queries}};
  if (keys > 0) made.set("kv_num_heads", keys);
  return made;
}

void finish(ModelBuilder& m, const std::string& type, const std::vector<std::string>& inputs,
            std::size_t outputs, const Attributes& attributes) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < outputs; ++i) names.push_back("y" + std::to_string(i));
  m.node(type, inputs, names, attributes, "com.microsoft");
  for (const std::string& name : names) m.output(name);
}

TEST(ContribAttentionShapes, OfManyHeadsCountEarlierKeys) {
  ModelBuilder m;
  m.input("q", {"B", "S", 32}).input("k", {"B", "T", 32}).input("v", {"B", "T", 16});
  m.input("p", {"B", 4, "P", 8}).input("r", {"B", 4, "P", 4});
  finish(m, "MultiHeadAttention", {"q", "k", "v", "", "", "", "p", "r"}, 3, heads(4));
  EXPECT_EQ(shapes(m, 3), (Texts{"B, S, 16", "B, 4, P + T, 8", "B, 4, P + T, 4"}));
}

TEST(ContribAttentionShapes, OfManyHeadsTakeKeysInAnotherLayout) {
  ModelBuilder m;
  m.input("q", {"B", "S", 32}).input("k", {"B", 4, "T", 8}).input("v", {"B", 4, "T", 8});
  finish(m, "MultiHeadAttention", {"q", "k", "v"}, 1, heads(4));
  EXPECT_EQ(shapes(m, 1), Texts{"B, S, 32"});
}

TEST(ContribAttentionShapes, OfGroupsAreThoseOfOneOrThreeTensors) {
  ModelBuilder m;
  m.input("q", {"B", "S", 32}).input("k", {"B", "S", 16}).input("v", {"B", "S", 16});
  finish(m, "GroupQueryAttention", {"q", "k", "v"}, 3, heads(4, 2));
  EXPECT_EQ(shapes(m, 3), (Texts{"B, S, 32", "B, 2, S, 8", "B, 2, S, 8"}));
  ModelBuilder packed;
  packed.input("q", {"B", "S", 64});
  finish(packed, "GroupQueryAttention", {"q"}, 2, heads(4, 2));
  EXPECT_EQ(shapes(packed, 2), (Texts{"B, S, 32", "B, 2, S, 8"}));
}

TEST(ContribAttentionShapes, OfGroupsLeaveTheLengthOfACacheToDeclarations) {
  ModelBuilder m;
  m.input("q", {"B", "S", 64}).input("p", {"B", 2, "P", 8});
  finish(m, "GroupQueryAttention", {"q", "", "", "p", "p"}, 2, heads(4, 2));
  EXPECT_EQ(shapes(m, 2), (Texts{"B, S, 32", "unknown"}));
}

TEST(ContribAttentionShapes, OfAProjectionHaveTheWidthOfItsValues) {
  ModelBuilder m;
  m.input("x", {"B", "S", 5}).input("w", {5, 16}).input("p", {2, "B", 2, "P", 2});
  Attributes attributes = heads(2);
  attributes.set("qkv_hidden_sizes", Integers{6, 6, 4});
  finish(m, "Attention", {"x", "w", "", "", "p"}, 2, attributes);
  EXPECT_EQ(shapes(m, 2), (Texts{"B, S, 4", "2, B, 2, P + S, 2"}));
}

TEST(ContribAttentionShapes, RefuseWidthsThatHeadsDoNotDivide) {
  ModelBuilder m;
  m.input("q", {"B", "S", 30}).input("k", {"B", "T", 30}).input("v", {"B", "T", 30});
  finish(m, "MultiHeadAttention", {"q", "k", "v"}, 1, heads(4));
  const std::string said = test::refusal(ErrorKind::input, [&] { infer_shapes(m.build()); });
  EXPECT_NE(said.find("not a multiple"), std::string::npos) << said;
}

TEST(ContribAttentionShapes, RefuseHeadsThatTheirSumsCannotCount) {
  ModelBuilder m;
  m.input("q", {1, 5, 8});
  finish(m, "GroupQueryAttention", {"q"}, 1, heads(std::int64_t{1} << 62, std::int64_t{3} << 61));
  const std::string said = test::refusal(ErrorKind::input, [&] { infer_shapes(m.build()); });
  EXPECT_NE(said.find("is above 2147483647"), std::string::npos) << said;
}

TEST(ContribAttentionShapes, RefuseKeysOfAnotherNumberOfHeads) {
  ModelBuilder m;
  m.input("q", {1, 5, 8}).input("k", {1, 4, 6, 4}).input("v", {1, 4, 6, 4});
  finish(m, "MultiHeadAttention", {"q", "k", "v"}, 1, heads(2));
  const std::string said = test::refusal(ErrorKind::input, [&] { infer_shapes(m.build()); });
  EXPECT_NE(said.find("numbers of heads of its operands differ: 2 and 4"), std::string::npos)
      << said;
}

TEST(AttentionShapesOfOnnx, RefuseOperandsOfDifferentLayouts) {
  ModelBuilder m(23);
  m.input("q", {1, 5, 8}).input("k", {1, 2, 6, 4}).input("v", {1, 2, 6, 4});
  m.node("Attention", {"q", "k", "v"}, {"y"},
         {{"q_num_heads", std::int64_t{2}}, {"kv_num_heads", std::int64_t{2}}});
  m.output("y");
  const std::string said = test::refusal(ErrorKind::input, [&] { infer_shapes(m.build()); });
  EXPECT_NE(said.find("different numbers of axes"), std::string::npos) << said;
}

TEST(AtenAttentionShapes, BroadcastTheLeadingAxes) {
  const auto model = [](test::ModelBuilder::Dim batch, test::ModelBuilder::Dim heads) {
    ModelBuilder m;
    m.input("q", {batch, heads, 5, 8}).input("k", {3, 2, 6, 8}).input("v", {3, 2, 6, 4});
    m.node("ATen", {"q", "k", "v"}, {"y0"},
           {{"operator", std::string("scaled_dot_product_attention")}}, "org.pytorch.aten");
    return m.output("y0");
  };
  EXPECT_EQ(shapes(model(1, 2), 1), Texts{"3, 2, 5, 4"});
  EXPECT_EQ(shapes(model("B", 4), 1), Texts{"3, 4, 5, 4"});
  EXPECT_EQ(shapes(model(3, 1), 1), Texts{"3, 2, 5, 4"});
  const std::string said =
      test::refusal(ErrorKind::input, [&] { infer_shapes(model(2, 2).build()); });
  EXPECT_NE(said.find("leading axes of its operands differ: 2 and 3"), std::string::npos) << said;
}

/// Operations of a node with operands of these dims.
double flops(const char* type, const std::vector<std::vector<std::int64_t>>& inputs,
             const std::vector<std::int64_t>& result, const Attributes& attributes) {
  Node node;
  node.domain = "com.microsoft";
  node.op_type = type;
  node.attributes = attributes;
  const std::vector<std::vector<std::int64_t>> outputs = {result};
  return standard_ops().find(node)->flops({node, inputs, outputs});
}

TEST(ContribAttentionWork, IsThatOfItsProductsAndSoftmax) {
  const double scores = 2.0 * 4 * 3 * 7;  // batch, heads, rows, keys
  const double expected = scores * (4 * 8 + 8);
  EXPECT_EQ(flops("MultiHeadAttention", {{2, 3, 32}, {2, 7, 32}, {2, 7, 32}}, {2, 3, 32}, heads(4)),
            expected);
  const std::vector<std::vector<std::int64_t>> grouped = {
      {2, 3, 32}, {2, 3, 16}, {2, 3, 16}, {2, 2, 4, 8}};
  EXPECT_EQ(flops("GroupQueryAttention", grouped, {2, 3, 32}, heads(4, 2)), expected);
  EXPECT_EQ(flops("Attention", {{2, 7, 5}, {5, 96}}, {2, 7, 32}, heads(4)),
            2.0 * 2 * 7 * 5 * 96 + 2.0 * 4 * 7 * 7 * (4 * 8 + 8));
}

TEST(ContribAttentionWork, CountsHeadsOfAnotherSizeInTheValues) {
  const double scores = 2.0 * 4 * 3 * 7;  // batch, heads, rows, keys
  EXPECT_EQ(flops("MultiHeadAttention", {{2, 3, 32}, {2, 7, 32}, {2, 7, 80}}, {2, 3, 80}, heads(4)),
            scores * (2 * 8 + 2 * 20 + 8));
  Attributes widths = heads(4);
  widths.set("qkv_hidden_sizes", Integers{32, 32, 80});
  EXPECT_EQ(flops("Attention", {{2, 7, 5}, {5, 144}}, {2, 7, 80}, widths),
            2.0 * 2 * 7 * 5 * 144 + 2.0 * 4 * 7 * 7 * (2 * 8 + 2 * 20 + 8));
}

TEST(ContribAttentionWork, IsTheSameForPackedOperands) {
  const Attributes attributes = heads(4);
  const std::vector<std::int64_t> result = {2, 7, 32};
  const double apart =
      flops("MultiHeadAttention", {{2, 7, 32}, {2, 7, 32}, {2, 7, 32}}, result, attributes);
  EXPECT_EQ(flops("MultiHeadAttention", {{2, 7, 4, 3, 8}}, result, attributes), apart);
  EXPECT_EQ(flops("MultiHeadAttention", {{2, 7, 32}, {2, 7, 4, 2, 8}}, result, attributes), apart);
  EXPECT_EQ(flops("GroupQueryAttention", {{2, 7, 64}}, result, heads(4, 2)), apart);
}

}  // namespace contrib_attention_ops_test
}  // namespace stashscope
