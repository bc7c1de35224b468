// Kernels whose results are simple to give by hand.

#include "one_node.h"

namespace stashscope {
namespace exact_kernels_test {

using namespace testing_run;  // NOLINT: the test's own helpers

using Numbers = std::vector<double>;

Tensor bytes(std::vector<std::int64_t> dims, const std::vector<std::uint8_t>& items) {
  return tensor_of(ElementType::uint8, std::move(dims), items);
}

TEST(Unique, SortsOrKeepsTheOrderOfOccurrence) {
  const Tensor x = integers({6}, {2, 1, 1, 3, 4, 3});
  const std::vector<Tensor> sorted = run_node({"Unique", {x}, {}, 11, "", 4});
  EXPECT_EQ(numbers(sorted[0]), (Numbers{1, 2, 3, 4}));
  EXPECT_EQ(numbers(sorted[1]), (Numbers{1, 0, 3, 4}));
  EXPECT_EQ(numbers(sorted[2]), (Numbers{1, 0, 0, 2, 3, 2}));
  EXPECT_EQ(numbers(sorted[3]), (Numbers{2, 1, 2, 1}));
  const std::vector<Tensor> as_met =
      run_node({"Unique", {x}, {{"sorted", std::int64_t{0}}}, 11, "", 4});
  EXPECT_EQ(numbers(as_met[0]), (Numbers{2, 1, 3, 4}));
  EXPECT_EQ(numbers(as_met[1]), (Numbers{0, 1, 3, 4}));
  EXPECT_EQ(numbers(as_met[2]), (Numbers{0, 1, 1, 2, 3, 2}));
  EXPECT_EQ(numbers(as_met[3]), (Numbers{1, 2, 2, 1}));
}

TEST(Unique, ComparesSlices) {
  const std::vector<Tensor> found = run_node(
      {"Unique", {doubles({3, 2}, {2, 3, 1, 0, 2, 3})}, {{"axis", std::int64_t{0}}}, 11, "", 4});
  EXPECT_EQ(numbers(found[0]), (Numbers{1, 0, 2, 3}));
  EXPECT_EQ(numbers(found[1]), (Numbers{1, 0}));
  EXPECT_EQ(numbers(found[2]), (Numbers{1, 0, 1}));
  EXPECT_EQ(numbers(found[3]), (Numbers{1, 2}));
}

TEST(IntegerProduct, SubtractsZeroPoints) {
  EXPECT_EQ(result_of({"MatMulInteger",
                       {bytes({2, 2}, {1, 2, 3, 4}), bytes({2, 2}, {5, 6, 7, 8}),
                        bytes({2}, {1, 2}), bytes({2}, {5, 6})},
                       {},
                       10}),
            (Numbers{2, 2, 4, 4}));
  EXPECT_EQ(
      result_of({"ConvInteger",
                 {bytes({1, 1, 1, 3}, {2, 3, 4}), bytes({1, 1, 1, 2}, {1, 1}), bytes({}, {1})},
                 {{"pads", Integers{0, 1, 0, 0}}},
                 10}),
      (Numbers{1, 3, 5}));
}

TEST(QuantizedProduct, IsRoundedAndSaturated) {
  const auto product = [](float scale) {
    return result_of(
        {"QLinearMatMul",
         {bytes({1, 2}, {3, 5}), singles({}, {0.5F}), bytes({}, {1}), bytes({2, 1}, {2, 4}),
          singles({}, {0.25F}), bytes({}, {0}), singles({}, {scale}), bytes({}, {10})},
         {},
         10});
  };
  EXPECT_EQ(product(1), Numbers{12});  // 2.5, ties to even
  EXPECT_EQ(product(0.005F), Numbers{255});
}

TEST(QuantizedConvolution, AddsItsBias) {
  EXPECT_EQ(result_of({"QLinearConv",
                       {bytes({1, 1, 1, 2}, {3, 5}), singles({}, {0.5F}), bytes({}, {1}),
                        bytes({2, 1, 1, 1}, {2, 4}), singles({2}, {1, 0.5F}), bytes({2}, {0, 2}),
                        singles({}, {1}), bytes({}, {0}),
                        tensor_of<std::int32_t>(ElementType::int32, {2}, {2, 8})},
                       {},
                       10}),
            (Numbers{3, 5, 3, 4}));
}

TEST(Determinant, OfStackedMatrices) {
  EXPECT_EQ(result_of({"Det", {doubles({2, 2, 2}, {1, 2, 3, 4, 0, 1, 1, 5})}, {}, 11}),
            (Numbers{-2, -1}));
}

TEST(TensorScatter, WritesConsecutivePositions) {
  const Tensor cache = doubles({2, 3, 1}, {1, 2, 3, 4, 5, 6});
  const Tensor updates = doubles({2, 2, 1}, {10, 20, 30, 40});
  EXPECT_EQ(result_of({"TensorScatter", {cache, updates, Tensor::int64s({1, 0})}, {}, 24}),
            (Numbers{1, 10, 20, 30, 40, 6}));
  EXPECT_EQ(result_of({"TensorScatter",
                       {cache, updates, Tensor::int64s({2, 0})},
                       {{"mode", std::string("circular")}},
                       24}),
            (Numbers{20, 2, 10, 30, 40, 6}));
}

TEST(BitCast, KeepsBits) {
  const Tensor result = run_node({"BitCast", {singles({1, -2})}, {{"to", std::int64_t{6}}}, 26})[0];
  EXPECT_EQ(result.element(), ElementType::int32);
  EXPECT_EQ(numbers(result), (Numbers{0x3F800000, -0x40000000}));
}

TEST(CausalConvolution, SeesTheStateOfEarlierCalls) {
  const std::vector<Tensor> result =
      run_node({"CausalConvWithState",
                {doubles({1, 1, 3}, {1, 2, 3}), doubles({1, 1, 2}, {10, 1}), doubles({1}, {0.5}),
                 doubles({1, 1, 1}, {4})},
                {},
                27,
                "",
                2});
  EXPECT_EQ(numbers(result[0]), (Numbers{41.5, 12.5, 23.5}));
  EXPECT_EQ(numbers(result[1]), (Numbers{3}));
}

/// With one key dimension the state is a row, which each rule changes in its way.
TEST(LinearAttention, FollowsItsRule) {
  const Tensor q = doubles({1, 2, 1}, {1, 2});
  const Tensor k = doubles({1, 2, 1}, {1, 3});
  const Tensor v = doubles({1, 2, 1}, {5, 7});
  const Tensor decay = doubles({1, 2, 1}, {0, std::log(0.5)});
  const Tensor rate = doubles({1, 2, 1}, {1, 0.5});
  const auto run = [&](const char* rule, const Tensor& decays, const Tensor& rates) {
    return result_of({"LinearAttention",
                      {q, k, v, {}, decays, rates},
                      {{"q_num_heads", std::int64_t{1}},
                       {"kv_num_heads", std::int64_t{1}},
                       {"scale", 1.0F},
                       {"update_rule", std::string(rule)}},
                      27});
  };
  EXPECT_EQ(run("linear", {}, {}), (Numbers{5, 52}));
  EXPECT_EQ(run("gated", decay, {}), (Numbers{5, 47}));
  EXPECT_EQ(run("delta", {}, rate), (Numbers{5, -14}));
  EXPECT_EQ(run("gated_delta", decay, rate), (Numbers{5, 3.5}));
}

}  // namespace exact_kernels_test
}  // namespace stashscope
