// Integers that overflow wrap, as in two's complement.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "one_node.h"

namespace stashscope {
namespace overflow_test {

using namespace testing_run;  // NOLINT: the test's own helpers
using testing::ElementsAre;

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

}  // namespace overflow_test
}  // namespace stashscope
