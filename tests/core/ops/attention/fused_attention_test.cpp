// Shapes, types and gradient rule of FusedAttention.

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "core/passes/infer_shapes.h"
#include "core/passes/training_step.h"
#include "tests/support/model_builder.h"
#include "tests/support/refusal.h"

namespace stashscope {
namespace fused_attention_ops_test {

using Dim = test::ModelBuilder::Dim;

/// A node with operands x0, x1, ... and outputs y0, y1, ...
struct FusedNode {
  std::vector<std::vector<Dim>> operands;
  Attributes attributes = {};
  std::vector<ElementType> elements = {};  ///< by operand; float32 beyond the end
  std::size_t outputs = 2;
  std::string type = "FusedAttention";
};

test::ModelBuilder model_of(const FusedNode& given) {
  test::ModelBuilder m;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  for (std::size_t i = 0; i < given.operands.size(); ++i) {
    inputs.push_back("x" + std::to_string(i));
    m.input(inputs.back(), given.operands[i],
            i < given.elements.size() ? given.elements[i] : ElementType::float32);
  }
  for (std::size_t i = 0; i < given.outputs; ++i) outputs.push_back("y" + std::to_string(i));
  m.node(given.type, inputs, outputs, given.attributes, "com.microsoft");
  for (const std::string& each : outputs) m.output(each);
  return m;
}

/// The type of an output, as "float32 [2, N]".
std::string type_of(const FusedNode& given, std::size_t output) {
  const Graph graph = infer_shapes(model_of(given).build());
  const TensorType& type = graph.value(graph.data().outputs[output]).type;
  std::string text(name_of(type.element));
  text += " [";
  for (const Expr& dim : *type.shape) text += to_string(dim, graph.symbols()) + ",";
  text.back() = ']';
  return text;
}

std::string refusal_of(const FusedNode& given) {
  return test::refusal(ErrorKind::input, [&] { infer_shapes(model_of(given).build()); });
}

TEST(FusedAttentionShapes, FollowNamedSizes) {
  const FusedNode node = {{{"B", 12, "S", 64}, {"B", 12, "T", 64}, {"B", 12, "T", 32}}};
  EXPECT_EQ(type_of(node, 0), "float32 [B,12,S,32]");
  EXPECT_EQ(type_of(node, 1), "float32 [B,12,S]");
}

TEST(FusedAttentionShapes, PadTheSumsOfTheEfficientForm) {
  const Attributes efficient = {{"form", std::string("efficient")}};
  EXPECT_EQ(type_of({{{2, 33, 4}, {2, 5, 4}, {2, 5, 4}}, efficient}, 1), "float32 [2,64]");
  const std::string named = type_of({{{2, "S", 4}, {2, 5, 4}, {2, 5, 4}}, efficient}, 1);
  EXPECT_NE(named.find("32*"), std::string::npos) << named;
}

TEST(FusedAttentionShapes, FollowPermutationsAndGroups) {
  const Integers swap = {0, 2, 1, 3};
  const FusedNode node = {
      {{"B", "S", 8, 64}, {"B", "T", 2, 64}, {"B", "T", 2, 64}},
      {{"query_perm", swap}, {"key_perm", swap}, {"value_perm", swap}, {"output_perm", swap}}};
  EXPECT_EQ(type_of(node, 0), "float32 [B,S,8,64]");
  EXPECT_EQ(type_of(node, 1), "float32 [B,8,S]");
}

TEST(FusedAttentionShapes, HaveTheNamedNumberOfQueryHeads) {
  const FusedNode node = {{{"B", "H", 3, 64}, {2, 2, 5, 64}, {2, 2, 5, 64}}};
  EXPECT_EQ(type_of(node, 0), "float32 [2,H,3,64]");
}

TEST(FusedAttentionShapes, HaveTheTypeOfTheValues) {
  using enum ElementType;
  const std::vector<std::vector<Dim>> operands = {{3, 4}, {5, 4}, {5, 2}};
  EXPECT_EQ(type_of({operands, {}, {float32, float32, float16}}, 0), "float16 [3,2]");
  EXPECT_EQ(type_of({operands, {}, {bfloat16, bfloat16, bfloat16}}, 1), "float32 [3]");
  EXPECT_EQ(type_of({operands, {}, {float64, float64, float64}}, 1), "float64 [3]");
}

struct Misfit {
  FusedNode node;
  std::string reason;
};

std::vector<Misfit> misfits() {
  using enum ElementType;
  const auto steps = [](const Strings& names) { return Attributes{{"steps", names}}; };
  const std::vector<Dim> q = {2, 3, 4};
  const std::vector<Dim> k = {2, 5, 4};
  return {
      {{{q, {2, 5, 6}, k}}, "the sizes of queries and keys differ: 4 and 6"},
      {{{q, k, {2, 6, 4}}}, "the numbers of keys and values differ: 5 and 6"},
      {{{q, {3, 5, 4}, k}}, "do not broadcast"},
      {{{{2, 1, 3, 4}, {3, 1, 5, 4}, {2, 1, 5, 4}}}, "do not broadcast"},
      {{{{1, 4, 3, 4}, {1, 3, 5, 4}, {1, 3, 5, 4}}}, "may also divide the wanted one"},
      {{{q, k, k}, {{"query_perm", Integers{0, 0, 1}}}}, "'query_perm' does not list each of 3"},
      {{{q, k, k}, {{"output_perm", Integers{1, 0}}}}, "'output_perm' does not list each of 3"},
      {{{q, k, k}, {{"form", std::string("fast")}}}, "fast"},
      {{{q, k, k}, {{"dropout", 1.0F}}}, "its dropout is 1.0"},
      {{{q, k, k}, steps({"Pow"})}, "the unknown step 'Pow'"},
      {{{q, k, k}, steps({"Mul"})}, "has 3 inputs, but its 1 steps need 4"},
      {{{q, k, k, {1}}, {}}, "has 4 inputs, but its 0 steps need 3"},
      {{{q, k, k, {3, 1, 1}}, steps({"Add"})}, "input 3 of shape [3, 1, 1] does not broadcast"},
      {{{q, k, k, {1, 2, 3, 5}}, steps({"Add"})}, "does not broadcast to [2, 3, 5]"},
      {{{q, k, k, {5}, {1}}, steps({"Where"})}, "must be boolean"},
      {{{q, k, k, {5}}, steps({"Add"}), {float32, float32, float32, boolean}}, "numbers only"},
      {{{q, k, k, {4}}, steps({"Reshape"})}, "is not int64"},
  };
}

TEST(FusedAttentionShapes, ThatDoNotFitAreRefused) {
  for (const Misfit& each : misfits()) {
    const std::string text = refusal_of(each.node);
    EXPECT_NE(text.find(each.reason), std::string::npos) << each.reason << "\n" << text;
  }
}

TEST(FusedAttentionShapes, OfAReshapeKeepRowsAndKeys) {
  const auto refused = [](const std::vector<std::int64_t>& target) {
    test::ModelBuilder m;
    m.input("q", {4, 3, 2}).input("k", {4, 5, 2}).int64s("shape", target);
    m.node("FusedAttention", {"q", "k", "k", "shape"}, {"y"}, {{"steps", Strings{"Reshape"}}},
           "com.microsoft");
    m.output("y");
    return test::refusal(ErrorKind::input, [&] { infer_shapes(m.build()); });
  };
  EXPECT_EQ(refused({2, 2, 3, 5}), "accepted");
  EXPECT_EQ(refused({-1, 3, 5}), "accepted");
  EXPECT_NE(refused({4, 5, 3}).find("the rows or keys before and after a step Reshape differ"),
            std::string::npos);
  EXPECT_NE(refused({3, 3, 5}).find("another number of elements"), std::string::npos);
  EXPECT_NE(refused({-1, -1, 3, 5}).find("more than one -1"), std::string::npos);
  EXPECT_NE(refused({-2, -2, 3, 5}).find("negative"), std::string::npos);
}

TEST(FusedAttentionShapes, OfGradientsAreThoseOfTheOperands) {
  FusedNode node = {{{2, 3, 6}, {2, 3, 4}, {2, 5, 4}, {2, 5, 6}, {2, 3, 6}, {2, 3}, {5}},
                    {{"steps", Strings{"Add"}}},
                    {},
                    4,
                    "FusedAttentionGrad"};
  EXPECT_EQ(type_of(node, 0), "float32 [2,3,4]");
  EXPECT_EQ(type_of(node, 2), "float32 [2,5,6]");
  EXPECT_EQ(type_of(node, 3), "float32 [5]");
  FusedNode wrong = node;
  wrong.operands[0] = {2, 3, 4};
  EXPECT_NE(refusal_of(wrong).find("input 0 has shape [2, 3, 4]"), std::string::npos);
  wrong = node;
  wrong.operands[5] = {2, 32};
  EXPECT_NE(refusal_of(wrong).find("input 5 has shape [2, 32]"), std::string::npos);
  wrong = node;
  wrong.attributes = {{"steps", Strings{"Reshape"}}};
  wrong.elements = std::vector<ElementType>(6, ElementType::float32);
  wrong.elements.push_back(ElementType::int64);
  EXPECT_NE(refusal_of(wrong).find("have no gradient"), std::string::npos);
}

TEST(FusedAttentionGradientRule, StashesOperandsResultAndSumsOnly) {
  test::ModelBuilder m;
  m.input("x", {2, 3, 4})
      .weight("w", {4, 4})
      .weight("bias", {3, 3})
      .input("c", {3, 3}, ElementType::boolean);
  m.weight("hidden", {1}, {-1e9F}).node("MatMul", {"x", "w"}, {"q"});
  m.node("FusedAttention", {"q", "x", "q", "bias", "c", "hidden"}, {"y"},
         {{"steps", Strings{"Add", "Where"}}, {"dropout", 0.1F}}, "com.microsoft");
  m.output("y");
  const TrainingStep step = prepare_training_step(m.build(), {});
  const auto& nodes = step.graph->nodes();
  const auto found = std::find_if(nodes.begin(), nodes.end(), [](const Node& each) {
    return each.op_type == "FusedAttentionGrad";
  });
  ASSERT_NE(found, nodes.end());
  std::set<std::string> stashed;
  for (std::size_t i = 1; i < found->inputs.size(); ++i) {
    const Value& value = step.graph->value(found->inputs[i]);
    if (value.producer.valid()) stashed.insert(value.name);
  }
  EXPECT_EQ(stashed.size(), 3U) << "q, y and the sums";
  ASSERT_EQ(found->outputs.size(), 6U);
  EXPECT_FALSE(found->outputs[1].valid()) << "nobody wants the gradient of the input x";
  EXPECT_TRUE(found->outputs[3].valid()) << "the bias is trained";
  EXPECT_FALSE(found->outputs[4].valid()) << "a condition has no gradient";
}

}  // namespace fused_attention_ops_test
}  // namespace stashscope
