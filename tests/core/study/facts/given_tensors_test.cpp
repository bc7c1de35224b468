#include "core/study/facts/given_tensors.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/captured_chain.h"
#include "tests/support/captured_model.h"

namespace stashscope {
namespace given_tensors_test {

std::shared_ptr<const Study> study_with(const std::string& optimizer) {
  Choices choices;
  choices.dims["N"] = 2;
  choices.update.optimizer = optimizer;
  return compute_study(std::make_shared<const Graph>(test::perceptron().build()), choices, nullptr,
                       {});
}

GivenTensor given(const Study& study, const std::string& name) {
  return given_tensor(study, test::id_of(study.graph(), name));
}

TEST(GivenTensors, AParameterHasItsGradientAndTheStatesOfTheOptimizer) {
  const auto study = study_with("adam");
  const GivenTensor weight = given(*study, "w1");
  EXPECT_EQ(weight.role, ValueRole::parameter);
  EXPECT_EQ(weight.bytes, 4 * 8 * 4);
  ASSERT_TRUE(weight.gradient.has_value());
  EXPECT_EQ(weight.gradient->name, "w1_grad");
  EXPECT_EQ(weight.gradient->bytes, weight.bytes);
  EXPECT_TRUE(weight.gradient->maker.valid());
  std::vector<std::string> names;
  std::int64_t states = 0;
  for (const TensorOfParameter& each : weight.states) {
    names.push_back(each.name);
    states += each.bytes;
    EXPECT_EQ(each.element, ElementType::float32);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"exp_avg", "exp_avg_sq"}));
  EXPECT_EQ(states, 2 * weight.bytes);
  EXPECT_EQ(weight.bytes_in_all(), 4 * weight.bytes);
}

TEST(GivenTensors, WithoutAnOptimizerThereAreNoStates) {
  const GivenTensor weight = given(*study_with("none"), "w1");
  EXPECT_TRUE(weight.states.empty());
  EXPECT_EQ(weight.bytes_in_all(), 2 * weight.bytes);
}

TEST(GivenTensors, AnInputHasNeitherGradientNorStates) {
  const GivenTensor input = given(*study_with("adam"), "x");
  EXPECT_EQ(input.role, ValueRole::input);
  EXPECT_EQ(input.bytes, 2 * 4 * 4);
  EXPECT_FALSE(input.gradient.has_value());
  EXPECT_TRUE(input.states.empty());
}

TEST(GivenTensors, AStateInACapturedStepBelongsToItsParameter) {
  const auto study = test::captured_study(test::captured_data(true));
  const GivenTensor weight = given(*study, "w");
  ASSERT_TRUE(weight.gradient.has_value());
  EXPECT_EQ(weight.gradient->name, "w.grad");
  ASSERT_EQ(weight.states.size(), 1U);
  EXPECT_EQ(weight.states.front().name, "state");
  EXPECT_EQ(weight.states.front().bytes, 256);
  EXPECT_EQ(study->graph().node(weight.states.front().maker).op_type, "zeros_like");
}

TEST(GivenTensors, AStateHasItsNameAtTheEndOfTheStepThatMakesIt) {
  GraphData data = test::captured_data(true);
  for (Value& value : data.values) {
    if (value.name == "w.state") value.name = "zeros";
  }
  const ValueId last = data.add_value("w.exp_avg", data.values[ValueId(0)].type);
  Node update = data.nodes[NodeId(5)];
  update.name = "lerp_";
  update.op_type = "lerp_";
  update.inputs = update.outputs;
  update.outputs = {last};
  data.nodes.push_back(update);
  const auto study = test::captured_study(std::move(data));
  const GivenTensor weight = given(*study, "w");
  ASSERT_EQ(weight.states.size(), 1U);
  EXPECT_EQ(weight.states.front().name, "exp_avg");
  EXPECT_EQ(weight.states.front().bytes, 256);
  EXPECT_EQ(study->graph().node(weight.states.front().maker).op_type, "zeros_like");
}

TEST(GivenTensors, AreInputsThenInitializersWithoutLiterals) {
  test::ModelBuilder m;
  m.input("x", {"N", 4}).weight("w", {4, 4}).node("MatMul", {"x", "w"}, {"h"});
  m.node("ReduceMean", {"h"}, {"y"}).output("y");
  GraphData data = m.data();
  data.add_initializer("literal", Tensor::int64s({1}));
  data.initializers.back().is_literal = true;
  Choices choices;
  choices.dims["N"] = 2;
  const auto study =
      compute_study(std::make_shared<const Graph>(std::move(data)), choices, nullptr, {});
  std::vector<std::string> names;
  for (const ValueId each : given_tensors(*study)) names.push_back(study->graph().value(each).name);
  EXPECT_EQ(names, (std::vector<std::string>{"x", "w"}));
}

}  // namespace given_tensors_test
}  // namespace stashscope
