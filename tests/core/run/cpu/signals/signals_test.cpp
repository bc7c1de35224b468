// Fourier transforms, windows, and boxes, against closed formulas.

#include <cmath>
#include <numbers>

#include "tests/core/run/cpu/kernels/one_node.h"

namespace stashscope {
namespace signals_test {

using namespace testing_run;  // NOLINT: the test's own helpers

void expect_close(const std::vector<double>& actual, const std::vector<double>& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) EXPECT_NEAR(actual[i], expected[i], 1e-12) << i;
}

TEST(Fourier, TransformOfFourElements) {
  expect_close(result_of({"DFT", {doubles({1, 4, 1}, {1, 2, 3, 5})}, {}, 20}),
               {11, 0, -2, 3, -3, 0, -2, -3});
  expect_close(
      result_of({"DFT", {doubles({1, 4, 1}, {1, 2, 3, 5})}, {{"onesided", std::int64_t{1}}}, 20}),
      {11, 0, -2, 3, -3, 0});
}

TEST(Fourier, InverseOfHalfASpectrumIsReal) {
  expect_close(result_of({"DFT",
                          {doubles({1, 3, 2}, {11, 0, -2, 3, -3, 0})},
                          {{"inverse", std::int64_t{1}}, {"onesided", std::int64_t{1}}},
                          20}),
               {1, 2, 3, 5});
}

TEST(Fourier, AnEarlierAxisAndAnotherLength) {
  const Tensor x = doubles({2, 2, 1}, {1, 2, 3, 4});
  expect_close(result_of({"DFT", {x, {}, Tensor::int64_scalar(0)}, {}, 20}),
               {4, 0, 6, 0, -2, 0, -2, 0});
  expect_close(result_of({"DFT", {x, Tensor::int64_scalar(1)}, {}, 20}), {1, 0, 3, 0});
}

TEST(Fourier, ShortTimeTransformWeighsItsFrames) {
  expect_close(result_of({"STFT",
                          {doubles({1, 4, 1}, {1, 2, 3, 4}), Tensor::int64_scalar(2),
                           doubles({2}, {1, 0.5})},
                          {},
                          17}),
               {2, 0, 0, 0, 5, 0, 1, 0});
}

TEST(Windows, AreCosines) {
  const auto window = [](const char* type, std::int64_t periodic) {
    return result_of({type,
                      {Tensor::int64_scalar(4)},
                      {{"periodic", periodic}, {"output_datatype", std::int64_t{11}}},
                      17});
  };
  expect_close(window("HannWindow", 1), {0, 0.5, 1, 0.5});
  expect_close(window("HannWindow", 0), {0, 0.75, 0.75, 0});
  expect_close(window("HammingWindow", 1), {4.0 / 46, 25.0 / 46, 1, 25.0 / 46});
  expect_close(window("BlackmanWindow", 1), {0, 0.34, 1, 0.34});
}

TEST(Boxes, SuppressedByABetterOne) {
  const Tensor boxes =
      tensor_of<float>(ElementType::float32, {1, 3, 4}, {0, 0, 1, 1, 1, 1.1F, 0, 0.1F, 0, 2, 1, 3});
  const Tensor scores = tensor_of<float>(ElementType::float32, {1, 1, 3}, {0.5F, 0.9F, 0.7F});
  const auto kept = [&](std::int64_t most, float overlap, float score) {
    return result_of({"NonMaxSuppression",
                      {boxes, scores, Tensor::int64s({most}), singles({overlap}), singles({score})},
                      {},
                      11});
  };
  EXPECT_EQ(kept(9, 0.5F, 0), (std::vector<double>{0, 0, 1, 0, 0, 2}));
  EXPECT_EQ(kept(9, 0.95F, 0), (std::vector<double>{0, 0, 1, 0, 0, 2, 0, 0, 0}));
  EXPECT_EQ(kept(1, 0.5F, 0), (std::vector<double>{0, 0, 1}));
  EXPECT_EQ(kept(9, 0.5F, 0.8F), (std::vector<double>{0, 0, 1}));
}

TEST(Boxes, RegionsAreMeansOfPoints) {
  const Tensor plane = doubles({1, 1, 2, 2}, {1, 2, 3, 4});
  const auto aligned = [&](std::vector<double> region, const char* mode) {
    return result_of({"RoiAlign",
                      {plane, doubles({1, 4}, region), Tensor::int64s({0})},
                      {{"sampling_ratio", std::int64_t{1}}, {"mode", std::string(mode)}},
                      16});
  };
  EXPECT_EQ(aligned({0, 0, 2, 2}, "avg"), std::vector<double>{2.5});
  EXPECT_EQ(aligned({0, 0, 2, 2}, "max"), std::vector<double>{1});
  EXPECT_EQ(aligned({0, 0, 5000, 5000}, "avg"), std::vector<double>{0}) << "its point is outside";
}

TEST(DeformedConvolution, WithoutOffsetsIsAConvolution) {
  const Tensor x = doubles({1, 1, 2, 3}, {1, 2, 3, 4, 5, 6});
  const Tensor w = doubles({1, 1, 1, 2}, {1, 10});
  const Tensor still = doubles({1, 4, 2, 2}, std::vector<double>(16, 0));
  EXPECT_EQ(result_of({"DeformConv", {x, w, still}, {}, 19}),
            (std::vector<double>{21, 32, 54, 65}));
  std::vector<double> moved(16, 0);
  std::fill(moved.begin() + 4, moved.begin() + 8, 0.5);  // moves the first tap to the right
  EXPECT_EQ(result_of({"DeformConv", {x, w, doubles({1, 4, 2, 2}, moved)}, {}, 19}),
            (std::vector<double>{21.5, 32.5, 54.5, 65.5}));
}

TEST(Ngrams, AreCountedWithSkippedWords) {
  const auto counts = [](const char* mode, std::int64_t skips) {
    return result_of({"TfIdfVectorizer",
                      {integers({5}, {1, 2, 1, 3, 2})},
                      {{"mode", std::string(mode)},
                       {"min_gram_length", std::int64_t{1}},
                       {"max_gram_length", std::int64_t{2}},
                       {"max_skip_count", skips},
                       {"ngram_counts", Integers{0, 2}},
                       {"ngram_indexes", Integers{0, 1, 2}},
                       {"pool_int64s", Integers{1, 3, 1, 2}},
                       {"weights", Floats{2, 3, 4}}},
                      9});
  };
  EXPECT_EQ(counts("TF", 0), (std::vector<double>{2, 1, 1}));
  EXPECT_EQ(counts("TF", 1), (std::vector<double>{2, 1, 2}));
  EXPECT_EQ(counts("IDF", 1), (std::vector<double>{2, 3, 4}));
  EXPECT_EQ(counts("TFIDF", 1), (std::vector<double>{4, 3, 8}));
}

}  // namespace signals_test
}  // namespace stashscope
