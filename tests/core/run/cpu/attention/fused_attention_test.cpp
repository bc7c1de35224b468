// FusedAttention and its gradient against the nodes that they replace, against finite differences,
// and against the formula in double.

#include <cmath>
#include <limits>

#include "tests/core/run/cpu/attention/decomposed_attention.h"
#include "tests/core/run/cpu/attention/fused_cases.h"

namespace stashscope {
namespace fused_attention_test {

using namespace testing_run;               // NOLINT: the test's own helpers
using namespace testing_run::fused_cases;  // NOLINT: the test's own helpers

class FusedAttention : public testing::TestWithParam<FusedCase> {};

TEST_P(FusedAttention, EqualsTheDecomposedNodes) {
  compare_with_decomposed(GetParam(), ElementType::float64, 1e-12);
}

TEST_P(FusedAttention, HasTheGradientThatTheSlopeIs) { check_gradients(gradient_case(GetParam())); }

TEST_P(FusedAttention, HoldsInEveryFloatingType) {
  for (const ElementType element :
       {ElementType::float32, ElementType::float16, ElementType::bfloat16}) {
    const double tolerance = tolerance_of(element);
    compare_with_decomposed(GetParam(), element, tolerance);
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, FusedAttention, testing::ValuesIn(all_cases()),
                         [](const auto& info) { return info.param.name; });

TEST(FusedAttentionInBlocks, EqualsTheDecomposedNodes) {
  for (const FusedCase& each : large_cases()) {
    compare_with_decomposed(each, ElementType::float64, 1e-12);
    compare_with_decomposed(each, ElementType::float32, 2e-5);
    compare_with_decomposed(each, ElementType::bfloat16, 8e-2);
  }
}

Tensor numbers_from(const Dims& dims, double first) {
  std::vector<double> items(static_cast<std::size_t>(element_count(dims)));
  for (std::size_t i = 0; i < items.size(); ++i)
    items[i] = std::sin(first + static_cast<double>(i));
  return doubles(dims, items);
}

/// Result and logarithms of the sums for Q [rows, size], K and V [keys, size].
struct PlainAttention {
  std::vector<double> y;
  std::vector<double> log_sums;
};

PlainAttention plain_attention(const Tensor& q, const Tensor& k, const Tensor& v, double scale) {
  const std::vector<double> a = numbers(q);
  const std::vector<double> b = numbers(k);
  const std::vector<double> c = numbers(v);
  const auto size = static_cast<std::size_t>(q.dims()[1]);
  const auto columns = static_cast<std::size_t>(v.dims()[1]);
  PlainAttention result;
  for (std::size_t row = 0; row < a.size() / size; ++row) {
    std::vector<double> weighted(columns, 0);
    double sum = 0;
    for (std::size_t key = 0; key < b.size() / size; ++key) {
      double score = 0;
      for (std::size_t i = 0; i < size; ++i) score += a[row * size + i] * b[key * size + i];
      const double weight = std::exp(score * scale);
      sum += weight;
      for (std::size_t i = 0; i < columns; ++i) weighted[i] += weight * c[key * columns + i];
    }
    for (const double item : weighted) result.y.push_back(item / sum);
    result.log_sums.push_back(std::log(sum));
  }
  return result;
}

OneNode fused(std::vector<Tensor> inputs, Attributes attributes, std::size_t outputs = 2) {
  return {"FusedAttention", std::move(inputs), std::move(attributes), 17, "com.microsoft", outputs};
}

TEST(FusedAttentionResult, FollowsTheFormula) {
  const Tensor q = numbers_from({130, 4}, 0);
  const Tensor k = numbers_from({300, 4}, 1);
  const Tensor v = numbers_from({300, 3}, 2);
  const PlainAttention expected = plain_attention(q, k, v, 0.7);
  const auto found = run_node(fused({q, k, v, doubles({}, {0.7})}, {{"steps", Strings{"Mul"}}}));
  EXPECT_EQ(found[1].dims(), Dims{130});
  EXPECT_LE(stashscope::difference(numbers(found[0]), expected.y).largest, 1e-13);
  EXPECT_LE(stashscope::difference(numbers(found[1]), expected.log_sums).largest, 1e-13);
}

TEST(FusedAttentionResult, PadsTheSumsOfTheEfficientForm) {
  const Tensor q = numbers_from({2, 33, 4}, 0);
  const auto flash = run_node(fused({q, q, q}, {}));
  const auto efficient = run_node(fused({q, q, q}, {{"form", std::string("efficient")}}));
  EXPECT_TRUE(same_bits(flash[0], efficient[0]));
  EXPECT_EQ(efficient[1].dims(), (Dims{2, 64}));
  const std::vector<double> sums = numbers(flash[1]);
  const std::vector<double> padded = numbers(efficient[1]);
  for (std::size_t i = 0; i < padded.size(); ++i) {
    EXPECT_EQ(padded[i], i % 64 < 33 ? sums[i / 64 * 33 + i % 64] : 0);
  }
}

TEST(FusedAttentionResult, KeepsTheSumsInFloat32) {
  const Tensor q = numbers_from({3, 4}, 0);
  for (const ElementType element :
       {ElementType::float16, ElementType::bfloat16, ElementType::float32}) {
    const Tensor given = converted(q, element);
    const auto found = run_node(fused({given, given, given}, {}));
    EXPECT_EQ(found[0].element(), element);
    EXPECT_EQ(found[1].element(), ElementType::float32);
  }
  EXPECT_EQ(run_node(fused({q, q, q}, {}))[1].element(), ElementType::float64);
}

TEST(FusedAttentionResult, OfARowWithoutVisibleKeysIsNotANumber) {
  const Tensor q = numbers_from({2, 4}, 0);
  const Tensor k = numbers_from({300, 4}, 0);
  std::vector<char> visible(600, 1);
  std::fill(visible.begin(), visible.begin() + 300, 0);
  const Tensor hidden = doubles({}, {-infinite});
  const std::vector<double> y =
      result_of(fused({q, k, k, flags({2, 300}, visible), hidden}, {{"steps", Strings{"Where"}}}));
  for (std::size_t i = 0; i < y.size(); ++i) EXPECT_EQ(std::isnan(y[i]), i < 4) << i;
}

TEST(FusedAttentionResult, CarriesWhatIsNoNumberAsTheDecomposedNodesDo) {
  const Tensor q = numbers_from({1, 2}, 0);
  std::vector<double> items(600, 0.5);
  items[599] = std::numeric_limits<double>::quiet_NaN();
  const Tensor v = doubles({300, 2}, items);
  std::vector<char> visible(300, 0);
  visible[0] = 1;
  const Tensor hidden = doubles({}, {-infinite});
  // 0 times NaN is NaN, also in a block whose keys are all hidden.
  const std::vector<double> y =
      result_of(fused({q, numbers_from({300, 2}, 1), v, flags({1, 300}, visible), hidden},
                      {{"steps", Strings{"Where"}}}));
  EXPECT_EQ(y[0], 0.5);
  EXPECT_TRUE(std::isnan(y[1]));
  // A hidden key that is no number does not matter, because its score is replaced.
  const std::vector<double> hides =
      result_of(fused({q, v, numbers_from({300, 2}, 1), flags({1, 300}, visible), hidden},
                      {{"steps", Strings{"Where"}}}));
  EXPECT_TRUE(std::isfinite(hides[0]) && std::isfinite(hides[1]));
}

TEST(FusedAttentionResult, OfNothingIsEmptyOrZero) {
  const Tensor none = doubles({2, 0, 4}, {});
  const Tensor some = numbers_from({2, 3, 4}, 0);
  const auto no_rows = run_node(fused({none, some, some}, {}));
  EXPECT_EQ(no_rows[0].dims(), (Dims{2, 0, 4}));
  EXPECT_EQ(no_rows[1].dims(), (Dims{2, 0}));
  for (const double item : result_of(fused({some, none, none}, {}))) EXPECT_EQ(item, 0);
}

TEST(FusedAttentionGradient, OfTensorsThatNoResultReadsIsZero) {
  const Tensor none = doubles({2, 0, 4}, {});
  const Tensor some = numbers_from({2, 3, 4}, 0);
  const OneNode node = {"FusedAttentionGrad",
                        {none, none, some, some, none, doubles({2, 0}, {})},
                        {},
                        17,
                        "com.microsoft",
                        3};
  const auto gradients = run_node(node);
  EXPECT_EQ(gradients[0].dims(), (Dims{2, 0, 4}));
  for (const std::size_t i : {1U, 2U}) {
    for (const double item : numbers(gradients[i])) EXPECT_EQ(item, 0);
  }
}

}  // namespace fused_attention_test
}  // namespace stashscope
