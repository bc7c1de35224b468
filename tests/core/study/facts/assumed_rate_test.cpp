// The rate of float32 products that predicted times assume.

#include "core/study/facts/assumed_rate.h"

#include <gtest/gtest.h>

#include "tests/support/named_model.h"

namespace stashscope {
namespace assumed_rate_test {

std::string rate_on(const char* profile) {
  Choices choices;
  choices.times.profile = load_profile(profile);
  return assumed_float32_rate(
      *compute_study(test::named(test::blocks(2)), choices, nullptr, Progress()));
}

TEST(AssumedRate, OfFloat32IsNamedWhereTheMatrixUnitsHaveTf32) {
  const std::string a100 = rate_on("A100-SXM4-80GB");
  EXPECT_NE(a100.find("156.0 TFLOP/s"), std::string::npos) << a100;
  EXPECT_NE(a100.find("19.5 TFLOP/s"), std::string::npos) << a100;
  EXPECT_EQ(rate_on("V100-SXM2-32GB"), "");
  EXPECT_EQ(rate_on("CPU-8-cores"), "");
}

}  // namespace assumed_rate_test
}  // namespace stashscope
