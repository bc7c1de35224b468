#include <gtest/gtest.h>

#include "core/study/choices/choices.h"
#include "tests/support/refusal.h"

namespace stashscope {
namespace choose_dimension_test {

TEST(ChooseDimension, TakesANumberForASizeAndAnyOtherTextForAName) {
  Choices choices;
  choose_dimension("batch", "8", choices);
  choose_dimension("*_dim0", "-1", choices);
  choose_dimension("rows", "8x", choices);
  EXPECT_EQ(choices.dims, (SizeChoices{{"*_dim0", -1}, {"batch", 8}}));
  EXPECT_EQ(choices.graph.same_dims, (std::map<std::string, std::string>{{"rows", "8x"}}));
}

TEST(ChooseDimension, RefusesNumbersBeyond64Bits) {
  Choices choices;
  EXPECT_EQ(test::refusal(ErrorKind::usage,
                          [&] { choose_dimension("batch", "9223372036854775808", choices); }),
            "does not fit into 64 bits");
  EXPECT_EQ(choices, Choices());
}

}  // namespace choose_dimension_test
}  // namespace stashscope
