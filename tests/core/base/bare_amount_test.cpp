#include "core/base/bare_amount.h"

#include <gtest/gtest.h>

namespace stashscope {
namespace bare_amount_test {

TEST(BareAmount, IsANumberWithoutAUnit) {
  for (const char* const each : {"24", " 24 ", "1.5", ".5", "3.", "-4", "- 1.5"}) {
    EXPECT_TRUE(is_bare_amount(each)) << each;
  }
  for (const char* const each :
       {"", " ", "-", ".", "1.2.3", "24GiB", "24 B", "60%", "4-", "--4", "1e9", "1,5", "lots"}) {
    EXPECT_FALSE(is_bare_amount(each)) << each;
  }
}

TEST(BareAmount, GetsTheUnit) {
  EXPECT_EQ(with_unit(" 24 ", "GiB"), "24 GiB");
  EXPECT_EQ(with_unit("-4", "GiB"), "-4 GiB");
  EXPECT_EQ(with_unit("1.5", "GiB"), "1.5 GiB");
  EXPECT_EQ(with_unit("24 B", "GiB"), "24 B");
  EXPECT_EQ(with_unit("60 %", "GiB"), "60 %");
}

}  // namespace bare_amount_test
}  // namespace stashscope
