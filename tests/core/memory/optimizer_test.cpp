#include "core/memory/optimizer.h"

#include <gtest/gtest.h>

#include "core/passes/infer_shapes.h"
#include "tests/support/model_builder.h"
#include "tests/support/refusal.h"

namespace stashscope {
namespace optimizer_test {

std::vector<std::string> described(const std::vector<OptimizerState>& states) {
  std::vector<std::string> words;
  for (const OptimizerState& each : states) {
    words.push_back(std::string(each.name) + " " + std::string(name_of(each.element)));
  }
  return words;
}

using Words = std::vector<std::string>;

TEST(Optimizer, KeepsItsStatesInTheParametersType) {
  const auto states = [](const char* optimizer, ElementType element) {
    return described(optimizer_states(find_optimizer(optimizer), {element}, false));
  };
  EXPECT_EQ(states("none", ElementType::float32), Words());
  EXPECT_EQ(states("sgd", ElementType::float32), Words());
  EXPECT_EQ(states("momentum", ElementType::float16), Words{"momentum_buffer float16"});
  EXPECT_EQ(states("adam", ElementType::float32), (Words{"exp_avg float32", "exp_avg_sq float32"}));
  EXPECT_EQ(states("adamw", ElementType::float64),
            (Words{"exp_avg float64", "exp_avg_sq float64"}));
}

TEST(Optimizer, MasterWeightsAreOfHalfPrecisionParametersOnly) {
  const auto states = [](const char* optimizer, ElementType element) {
    return described(optimizer_states(find_optimizer(optimizer), {element}, true));
  };
  for (const ElementType half : {ElementType::float16, ElementType::bfloat16}) {
    EXPECT_EQ(states("sgd", half), Words{"master_weight float32"});
    EXPECT_EQ(states("adam", half),
              (Words{"master_weight float32", "exp_avg float32", "exp_avg_sq float32"}));
    EXPECT_EQ(states("none", half), Words()) << "nobody is there to keep them";
  }
  EXPECT_EQ(states("momentum", ElementType::float32), Words{"momentum_buffer float32"});
}

TEST(Optimizer, AnUnknownOneIsRefusedWithAllNames) {
  const std::string said = test::refusal(ErrorKind::usage, [] { find_optimizer("other\n"); });
  for (const Optimizer& each : optimizers()) {
    EXPECT_NE(said.find(each.name), std::string::npos) << said;
  }
  EXPECT_EQ(said.find('\n'), std::string::npos);
}

TEST(Optimizer, StatesAreOfParametersThatReceiveAGradient) {
  test::ModelBuilder m;
  m.input("x", {4, 4}).weight("w", {4, 4}).weight("spare", {4});
  m.node("MatMul", {"x", "w"}, {"y"}).node("Transpose", {"x"}, {"g"}).output("y").output("g");
  const Graph graph = infer_shapes(m.build());
  const std::vector<Parameter> parameters = {{test::id_of(graph, "w"), test::id_of(graph, "g")},
                                             {test::id_of(graph, "spare"), ValueId()},
                                             {test::id_of(graph, "w"), test::id_of(graph, "y")}};
  const UpdateMemory memory = update_memory(graph, parameters, {"adam", false, true});
  ASSERT_EQ(memory.states.size(), 2U) << "one pair, however many gradients w has";
  for (const ParameterState& each : memory.states) {
    EXPECT_EQ(each.parameter, test::id_of(graph, "w"));
    EXPECT_EQ(each.bytes(64), 64);
  }
  EXPECT_EQ(memory.released,
            (std::vector<ValueId>{test::id_of(graph, "g"), test::id_of(graph, "y")}));
}

TEST(Optimizer, AStateOfAnotherTypeHasAsManyElements) {
  const OptimizerState state{"exp_avg", ElementType::float32};
  EXPECT_EQ((ParameterState{ValueId(0), ElementType::float16, state}.bytes(6)), 12);
  EXPECT_EQ((ParameterState{ValueId(0), ElementType::int4, state}.bytes(6)), 48);
  EXPECT_THROW((ParameterState{ValueId(0), ElementType::bfloat16, state}.bytes(
                   std::numeric_limits<std::int64_t>::max() - 1)),
               Error);
}

}  // namespace optimizer_test
}  // namespace stashscope
