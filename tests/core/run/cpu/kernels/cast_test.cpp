// Casts between types of different widths.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "one_node.h"

namespace stashscope {
namespace cast_test {

using namespace testing_run;  // NOLINT: the test's own helpers
using testing::Each;
using testing::ElementsAre;
using testing::IsNan;

constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr float infinity = std::numeric_limits<float>::infinity();

/// The value of the attribute `to`.
std::int64_t to(ElementType element) { return static_cast<std::int64_t>(element); }

TEST(CastKernels, TruncateAndDefineWhatDoesNotFit) {
  const auto cast = [](Tensor from, ElementType type) {
    return OneNode{"Cast", {std::move(from)}, {{"to", to(type)}}};
  };
  const Tensor reals = singles({1.9F, -1.9F, nan, 1e30F});
  constexpr double smallest = -0x1p63;
  EXPECT_THAT(result_of(cast(reals, ElementType::int64)), ElementsAre(1, -1, smallest, smallest));
  EXPECT_THAT(result_of(cast(reals, ElementType::boolean)), Each(1));
  EXPECT_THAT(result_of(cast(integers({3}, {300, -1, 128}), ElementType::uint8)),
              ElementsAre(44, 255, 128));
  EXPECT_THAT(result_of(cast(singles({1.0009766F, 70000, 1e-8F}), ElementType::float16)),
              ElementsAre(1.0009765625, infinity, 0));
}

TEST(CastKernels, RoundToSmallFloatsAndCutSmallIntegers) {
  const auto through = [](ElementType small, const std::vector<float>& items, bool saturates) {
    const Tensor narrow = run_node({"Cast",
                                    {singles(items)},
                                    {{"to", to(small)}, {"saturate", std::int64_t{saturates}}},
                                    25})[0];
    EXPECT_EQ(narrow.element(), small);
    return result_of({"Cast", {narrow}, {{"to", to(ElementType::float32)}}, 25});
  };
  // Ties to even, subnormals down to 2^-9, the largest number 448.
  EXPECT_THAT(through(ElementType::float8e4m3fn, {17, 19, 0.001953125F, 500, -500, nan}, true),
              ElementsAre(16, 20, 0.001953125, 448, -448, IsNan()));
  EXPECT_THAT(through(ElementType::float8e4m3fn, {464, 465}, false), ElementsAre(448, IsNan()));
  EXPECT_THAT(through(ElementType::float8e5m2, {9, 60000, infinity}, true),
              ElementsAre(8, 57344, 57344));
  EXPECT_THAT(through(ElementType::float8e5m2, {1e6F, -infinity}, false),
              ElementsAre(infinity, -infinity));
  EXPECT_THAT(through(ElementType::float8e4m3fnuz, {-0.0F, 300, 240}, true),
              ElementsAre(0, 240, 240));
  EXPECT_THAT(through(ElementType::float4e2m1, {0.25F, 2.5F, -9, nan}, true),
              ElementsAre(0, 2, -6, 0));
  EXPECT_THAT(through(ElementType::int4, {-8, 7.9F, 3}, true), ElementsAre(-8, 7, 3));
  EXPECT_THAT(through(ElementType::uint2, {3, 0, 1, 2, 3}, true), ElementsAre(3, 0, 1, 2, 3));
}

TEST(CastKernels, LargeIntegersSaturateSmallFloatsAndKeepTheirLowestBitsInSmallIntegers) {
  const std::int64_t large = (std::int64_t{1} << 60) + 5;
  const std::int64_t least = std::numeric_limits<std::int64_t>::min();
  const auto through = [&](ElementType small) {
    const Tensor narrow =
        run_node({"Cast", {integers({3}, {large, least, -3})}, {{"to", to(small)}}, 25})[0];
    return result_of({"Cast", {narrow}, {{"to", to(ElementType::float32)}}, 25});
  };
  EXPECT_THAT(through(ElementType::float8e4m3fn), ElementsAre(448, -448, -3));
  EXPECT_THAT(through(ElementType::int4), ElementsAre(5, 0, -3));
  EXPECT_THAT(through(ElementType::uint4), ElementsAre(5, 0, 13));
}

}  // namespace cast_test
}  // namespace stashscope
