// Integers that overflow wrap, as in two's complement. Positions beyond an axis have a result.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <tuple>

#include "core/base/error.h"
#include "one_node.h"

namespace stashscope {
namespace overflow_test {

using namespace testing_run;  // NOLINT: the test's own helpers
using testing::ElementsAre;
using testing::HasSubstr;

TEST(Kernels, IntegersThatOverflowWrap) {
  constexpr auto least = std::numeric_limits<std::int64_t>::min();
  constexpr auto greatest = std::numeric_limits<std::int64_t>::max();
  const Tensor low = integers({1}, {least});
  const Tensor high = integers({1}, {greatest});
  const Tensor one = integers({1}, {1});
  const Tensor two = integers({1}, {2});
  for (const OneNode& what :
       {OneNode{"Neg", {low}}, OneNode{"Abs", {low}}, OneNode{"Add", {high, one}},
        OneNode{"ReduceSum", {integers({2}, {greatest, 1})}}, OneNode{"ReduceL1", {low}}}) {
    EXPECT_THAT(result_of(what), ElementsAre(-0x1p63)) << what.type;
  }
  EXPECT_THAT(result_of({"Sub", {low, one}}), ElementsAre(0x1p63));
  EXPECT_THAT(result_of({"CumSum", {integers({2}, {greatest, 1}), integers({}, {0})}}),
              ElementsAre(0x1p63, -0x1p63));
  for (const OneNode& what :
       {OneNode{"Mul", {high, two}}, OneNode{"ReduceProd", {integers({2}, {greatest, 2})}}}) {
    EXPECT_THAT(result_of(what), ElementsAre(-2)) << what.type;
  }
  EXPECT_THAT(result_of({"Pow", {high, two}}), ElementsAre(1));
  const Tensor narrow = tensor_of(ElementType::uint16, {1}, std::vector<std::uint16_t>{65535});
  EXPECT_THAT(result_of({"Mul", {narrow, narrow}}), ElementsAre(1));
}

TEST(Kernels, ReducedUpdatesThatOverflowWrap) {
  constexpr auto greatest = std::numeric_limits<std::int64_t>::max();
  for (const auto& [reduction, update, result] :
       {std::tuple{"add", 1, -0x1p63}, std::tuple{"mul", 2, -2.0}}) {
    const OneNode scatter{"ScatterElements",
                          {integers({1}, {greatest}), integers({1}, {0}), integers({1}, {update})},
                          {{"reduction", std::string(reduction)}}};
    EXPECT_THAT(result_of(scatter), ElementsAre(result)) << reduction;
  }
  EXPECT_THAT(result_of({"Einsum",
                         {integers({1}, {greatest}), integers({1}, {2})},
                         {{"equation", std::string("i,i->i")}}}),
              ElementsAre(-2));
  EXPECT_THAT(result_of({"ReduceSumSquare", {integers({1}, {greatest})}}), ElementsAre(1));
}

TEST(Kernels, PositionsMayBeBeyondAnyAxis) {
  constexpr auto least = std::numeric_limits<std::int64_t>::min();
  constexpr auto greatest = std::numeric_limits<std::int64_t>::max();
  const Tensor square = singles({2, 2}, {1, 2, 3, 4});
  EXPECT_THAT(result_of({"Slice",
                         {square, integers({1}, {0}), integers({1}, {2}), integers({1}, {0}),
                          integers({1}, {greatest})}}),
              ElementsAre(1, 2));
  EXPECT_THAT(result_of({"Pad", {singles({1, 2, 3}), integers({2}, {least, greatest})}}),
              ElementsAre(0, 0));
  const Attributes circular = {{"mode", std::string("circular")}};
  EXPECT_THAT(result_of({"TensorScatter",
                         {singles({1, 4, 1}, {1, 2, 3, 4}), singles({1, 2, 1}, {5, 6}),
                          integers({1}, {greatest})},
                         circular,
                         24}),
              ElementsAre(6, 2, 3, 5));
}

TEST(Kernels, NegativePositionsAreRefusedInACircle) {
  const OneNode scatter{
      "TensorScatter",
      {singles({1, 4, 1}, {1, 2, 3, 4}), singles({1, 2, 1}, {5, 6}), integers({1}, {-4})},
      {{"mode", std::string("circular")}},
      24};
  try {
    run_node(scatter);
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("position -4"));
  }
}

}  // namespace overflow_test
}  // namespace stashscope
