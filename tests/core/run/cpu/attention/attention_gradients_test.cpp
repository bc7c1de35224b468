// Gradients of attention: its layouts, shared heads, masks, and earlier keys.

#include <cmath>
#include <limits>

#include "tests/core/run/cpu/kernels/element_types.h"

namespace stashscope {
namespace attention_gradients_test {

using namespace testing_run;  // NOLINT: the test's own helpers

using Dims = std::vector<std::int64_t>;

class AttentionGradient : public testing::TestWithParam<GradientCase> {};

TEST_P(AttentionGradient, EqualsTheSlope) { check_gradients(GetParam()); }

TEST_P(AttentionGradient, HoldsInEveryFloatingType) { check_element_types(GetParam()); }

GradientCase attention(std::string name, Dims q, Dims k, Dims v,
                       std::vector<GradientOperand> further = {}, Attributes attributes = {},
                       std::size_t outputs = 1) {
  std::vector<GradientOperand> operands = {parameter(std::move(q)), parameter(std::move(k)),
                                           parameter(std::move(v))};
  operands.insert(operands.end(), further.begin(), further.end());
  return {.name = std::move(name),
          .type = "Attention",
          .operands = std::move(operands),
          .attributes = std::move(attributes),
          .opset = 24,
          .outputs = outputs};
}

Attributes heads(std::int64_t queries, std::int64_t keys) {
  return {{"q_num_heads", queries}, {"kv_num_heads", keys}};
}

Attributes shown(std::int64_t stage) {
  return {{"qk_matmul_output_mode", stage}, {"softcap", 0.7F}, {"is_causal", std::int64_t{1}}};
}

const Dims queries4 = {2, 2, 3, 2};
const Dims keys4 = {2, 2, 4, 2};
const Attributes causal = {{"is_causal", std::int64_t{1}}};

INSTANTIATE_TEST_SUITE_P(
    Layouts, AttentionGradient,
    testing::Values(attention("FourAxes", queries4, keys4, {2, 2, 4, 3}),
                    attention("ThreeAxes", {2, 3, 4}, {2, 4, 4}, {2, 4, 6}, {}, heads(2, 2)),
                    attention("SharedHeads", {1, 4, 3, 2}, {1, 2, 3, 2}, {1, 2, 3, 2}),
                    attention("SharedHeadsThreeAxes", {1, 3, 8}, {1, 2, 4}, {1, 2, 2}, {},
                              heads(4, 2)),
                    attention("Scale", queries4, keys4, keys4, {}, {{"scale", 0.3F}}),
                    attention("SoftCap", queries4, keys4, keys4, {}, {{"softcap", 0.5F}})),
    case_name);

INSTANTIATE_TEST_SUITE_P(
    Masks, AttentionGradient,
    testing::Values(attention("Causal", queries4, keys4, keys4, {}, causal),
                    attention("TrainedMask", queries4, keys4, keys4, {parameter({3, 4})}),
                    attention("TrainedMaskOfHeads", queries4, keys4, keys4, {parameter({2, 1, 4})},
                              causal),
                    attention("Flags", queries4, keys4, keys4,
                              {constant(flags({3, 4}, {1, 0, 1, 1, 1, 1, 0, 0, 0, 1, 1, 1}))})),
    case_name);

INSTANTIATE_TEST_SUITE_P(
    Past, AttentionGradient,
    testing::Values(attention("EarlierKeys", queries4, keys4, keys4,
                              {left_out(), parameter({2, 2, 2, 2}), parameter({2, 2, 2, 2})},
                              causal, 3),
                    attention("KeyLengths", queries4, keys4, keys4,
                              {left_out(), left_out(), left_out(), numbers_operand({2, 4})}, {},
                              1)),
    case_name);

std::vector<GradientCase> all_stages() {
  std::vector<GradientCase> cases;
  for (const std::int64_t stage : {0, 1, 2, 3}) {
    GradientCase each = attention("Stage" + std::to_string(stage), {1, 2, 3, 2}, {1, 2, 3, 2},
                                  {1, 2, 3, 2}, {}, shown(stage), 4);
    // A causal mask would make the scores of this stage infinite.
    if (stage == 2) each.attributes.set("is_causal", std::int64_t{0});
    cases.push_back(std::move(each));
  }
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Scores, AttentionGradient, testing::ValuesIn(all_stages()), case_name);

/// A query whose keys are all hidden gives 0, whatever the operands are.
TEST(AttentionGradientOf, AHiddenQueryIsZero) {
  GraphData data = graph_of(attention("", {1, 1, 1, 2}, {1, 1, 2, 2}, {1, 1, 2, 2},
                                      {constant(flags({1, 2}, {0, 0}))}))
                       .data();
  const ModelStep step(prepare_training_step(Graph(std::move(data)), {}), {});
  const RunResult result = run_on_cpu(step.default_plan(), {});
  for (const char* name : {"p0_grad", "p1_grad", "p2_grad"}) {
    for (const double item : numbers(result.outputs.at(name))) EXPECT_EQ(item, 0) << name;
  }
}

TEST(AttentionGradient, AHiddenKeyAddsNothingEvenIfItIsNoNumber) {
  const float none = std::numeric_limits<float>::quiet_NaN();
  const Tensor query = singles({1, 1, 1, 2}, {1, 2});
  const Tensor keys = singles({1, 1, 2, 2}, {1, 0, none, none});
  const OneNode node = {"AttentionGrad",
                        {query, keys, keys, flags({1, 2}, {1, 0}), {}, {}, {}, query},
                        {},
                        18,
                        "com.microsoft",
                        3};
  for (const Tensor& gradient : run_node(node)) {
    for (const double number : numbers(gradient)) EXPECT_TRUE(std::isfinite(number));
  }
}

}  // namespace attention_gradients_test
}  // namespace stashscope
