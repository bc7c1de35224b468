#include "core/run/step/random_values.h"

#include <gtest/gtest.h>

#include "tests/support/model_builder.h"

namespace stashscope {
namespace random_values_test {

/// Whether the first output of a dropout is random, with a ratio at the given place of its inputs.
bool is_random(const std::string& type, const std::string& domain, std::size_t ratio_input,
               float ratio) {
  test::ModelBuilder model;
  model.input("x", {2, 3}).weight("bias", {2, 3}, {0, 0, 0, 0, 0, 0}).weight("ratio", {}, {ratio});
  std::vector<std::string> inputs = {"x", "bias", "", ""};
  inputs.resize(ratio_input);
  inputs.push_back("ratio");
  model.node(type, inputs, {"y"}, {}, domain).output("y");
  const Graph graph = model.build();
  return random_values(graph, {})[*graph.find_value("y")];
}

TEST(RandomValues, AreNotDrawnWithARatioOfZero) {
  struct Case {
    const char* type;
    const char* domain;
    std::size_t ratio_input;
  };
  for (const Case& each : {Case{"Dropout", "", 1},
                           {"BiasDropout", "com.microsoft", 3},
                           {"BiasSoftmaxDropout", "com.microsoft", 2}}) {
    EXPECT_TRUE(is_random(each.type, each.domain, each.ratio_input, 0.5F)) << each.type;
    EXPECT_FALSE(is_random(each.type, each.domain, each.ratio_input, 0)) << each.type;
  }
}

}  // namespace random_values_test
}  // namespace stashscope
