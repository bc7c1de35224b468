#include "core/ops/rules/operands.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "core/ops/families/standard_ops.h"
#include "core/passes/infer_shapes.h"
#include "tests/support/model_builder.h"
#include "tests/support/refusal.h"

namespace stashscope {
namespace operands_test {

using test::ModelBuilder;

TEST(OperandTable, AreReadFromText) {
  const Operands operands("X:float[3..] W=X[2] more*:int64|bool[0..1] -> Y extra?");
  const Signature& signature = *operands.at(1);
  ASSERT_EQ(signature.inputs.size(), 3U);
  EXPECT_EQ(signature.inputs[0].name, "X");
  EXPECT_EQ(signature.inputs[0].least_rank, 3U);
  EXPECT_GT(signature.inputs[0].most_rank, 1000U);
  EXPECT_EQ(signature.inputs[1].like, std::optional<std::size_t>(0));
  EXPECT_EQ(signature.inputs[1].least_rank, 2U);
  EXPECT_EQ(signature.inputs[1].most_rank, 2U);
  EXPECT_TRUE(signature.inputs[2].repeats());
  EXPECT_FALSE(signature.inputs[2].required());
  EXPECT_EQ(signature.inputs[2].types,
            1U << unsigned{7} | 1U << unsigned{9});  // int64 and bool, as ONNX numbers them
  ASSERT_EQ(signature.outputs.size(), 2U);
  EXPECT_TRUE(signature.outputs[0].required());
  EXPECT_FALSE(signature.outputs[1].required());
}

TEST(OperandTable, FollowTheVersion) {
  const Operands operands = {{1, "data -> y"}, {13, "data axes?:int64 -> y"}};
  EXPECT_EQ(operands.at(1)->inputs.size(), 1U);
  EXPECT_EQ(operands.at(12)->inputs.size(), 1U);
  EXPECT_EQ(operands.at(13)->inputs.size(), 2U);
  EXPECT_EQ(operands.at(99)->inputs.size(), 2U);
  EXPECT_EQ(Operands().at(1), nullptr);
}

TEST(OperandTable, MustFollowTheGrammar) {
  for (const char* text : {"X", "X:real -> Y", "X=Z -> Y", "X[a] -> Y", "X* Y -> Z", "? -> Y"}) {
    EXPECT_THROW(Operands{text}, std::invalid_argument) << text;
  }
}

std::string refusal_of(ModelBuilder& model) {
  return test::refusal(ErrorKind::input, [&] { infer_shapes(model.build()); });
}

void expect_refused(ModelBuilder& model, const std::vector<std::string>& named) {
  const std::string message = refusal_of(model);
  for (const std::string& each : named) {
    EXPECT_NE(message.find(each), std::string::npos) << message;
  }
}

TEST(OperandTable, MustBeThere) {
  ModelBuilder missing = ModelBuilder().input("x", {2, 3});
  missing.node("MatMul", {"x"}, {"y"}).output("y");
  expect_refused(missing, {"make_y", "MatMul", "input 1 (B)"});
  ModelBuilder unnamed = ModelBuilder().input("x", {2, 3});
  unnamed.node("Concat", {"x", "", "x"}, {"y"}, {{"axis", std::int64_t{0}}}).output("y");
  expect_refused(unnamed, {"Concat", "input 1 (inputs)"});
  ModelBuilder no_output = ModelBuilder().input("x", {2, 3});
  no_output.node("Split", {"x"}, {}).output("x");
  expect_refused(no_output, {"Split", "output 0 (parts)"});
}

TEST(OperandTable, MustNotBeMoreThanTheOperatorHas) {
  ModelBuilder model = ModelBuilder().input("x", {2, 3});
  model.node("Relu", {"x", "x"}, {"y"}).output("y");
  expect_refused(model, {"Relu", "2 inputs"});
}

TEST(OperandTable, MustHaveAFittingType) {
  ModelBuilder model = ModelBuilder().input("x", {2, 3}, ElementType::int64);
  model.node("Softmax", {"x"}, {"y"}).output("y");
  expect_refused(model, {"Softmax", "input 0 (input)", "int64"});
  ModelBuilder mixed = ModelBuilder().input("a", {2, 3}).input("b", {2, 3}, ElementType::float64);
  mixed.node("Add", {"a", "b"}, {"y"}).output("y");
  expect_refused(mixed, {"Add", "input 1 (B)", "float64", "input 0 (A)", "float32"});
}

TEST(OperandTable, MustHaveAFittingRank) {
  ModelBuilder model = ModelBuilder().input("x", {2, 3}).weight("w", {4, 3, 1});
  model.node("Conv", {"x", "w"}, {"y"}).output("y");
  expect_refused(model, {"Conv", "input 0 (X)", "[2, 3]", "3 or more"});
}

TEST(OperandTable, OfSplitMayLackNames) {
  const Graph graph = infer_shapes(
      ModelBuilder().input("x", {4, 3}).node("Split", {"x"}, {"", "y"}).output("y").build());
  EXPECT_EQ((*graph.value(test::id_of(graph, "y")).type.shape)[0].integer(), 2);
}

TEST(OperandTable, OfEveryOperatorAreGiven) {
  for (const auto& [key, op] : standard_ops().all()) {
    EXPECT_TRUE(op.operands.known()) << key;
    std::int64_t last = 0;
    for (const Signature& each : op.operands.signatures()) {
      EXPECT_GT(each.since, last) << key;
      last = each.since;
      const bool is_first = each.since == op.operands.signatures().front().since;
      EXPECT_TRUE(is_first || since_version(op, each.since) == each.since)
          << key << " has no version " << each.since;
    }
  }
}

}  // namespace operands_test
}  // namespace stashscope
