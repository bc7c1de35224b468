#include "core/run/step/random_values.h"

#include <gtest/gtest.h>

#include "tests/support/model_builder.h"

namespace stashscope {
namespace random_values_test {

/// The inputs of a dropout that trains.
struct Dropout {
  const char* type;
  const char* domain;
  std::vector<std::string> inputs;
};

bool is_random(const Dropout& dropout, float ratio) {
  test::ModelBuilder model;
  model.input("x", {2, 3}).weight("bias", {2, 3}, {0, 0, 0, 0, 0, 0}).weight("ratio", {}, {ratio});
  model.constant("training", Tensor(ElementType::boolean, {}, std::string("\1", 1)));
  model.node(dropout.type, dropout.inputs, {"y"}, {}, dropout.domain).output("y");
  const Graph graph = model.build();
  return random_values(graph, {})[*graph.find_value("y")];
}

TEST(RandomValues, AreNotDrawnWithARatioOfZero) {
  for (const Dropout& each :
       {Dropout{"Dropout", "", {"x", "ratio", "training"}},
        {"BiasDropout", "com.microsoft", {"x", "bias", "", "ratio", "training"}},
        {"BiasSoftmaxDropout", "com.microsoft", {"x", "bias", "ratio"}}}) {
    EXPECT_TRUE(is_random(each, 0.5F)) << each.type;
    EXPECT_FALSE(is_random(each, 0)) << each.type;
  }
}

TEST(RandomValues, AreNotDrawnWithARatioAttributeOfZero) {
  const auto is_random_with = [](float ratio) -> bool {
    test::ModelBuilder model(6);
    model.input("x", {4}).node("Dropout", {"x"}, {"y"}, {{"ratio", ratio}}).output("y");
    const Graph graph = model.build();
    return random_values(graph, {})[*graph.find_value("y")];
  };
  EXPECT_TRUE(is_random_with(0.5F));
  EXPECT_FALSE(is_random_with(0));
}

}  // namespace random_values_test
}  // namespace stashscope
