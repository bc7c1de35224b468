#include <gtest/gtest.h>

#include <limits>

#include "core/base/error.h"
#include "core/study/choices/choices.h"

namespace stashscope {
namespace reserve_test {

TEST(Reserve, IsTakenOffTheMemoryOfTheDevice) {
  TimeChoices times;
  times.profile.memory_bytes = 2000;
  EXPECT_EQ(profile_in_force(times).memory_bytes, 2000);
  times.reserve_percent = 5;
  EXPECT_EQ(kept_free_bytes(times), 100);
  EXPECT_EQ(profile_in_force(times).memory_bytes, 1900);
  times.device_memory = 1000;
  EXPECT_EQ(profile_in_force(times).memory_bytes, 950);
  times.device_memory.reset();
  times.profile.memory_bytes = 0;
  EXPECT_EQ(profile_in_force(times).memory_bytes, 0) << "unknown memory stays unknown";
}

TEST(Reserve, IsAPartOfTheDevice) {
  EXPECT_NO_THROW(check_reserve(0));
  EXPECT_NO_THROW(check_reserve(99.9));
  for (const double wrong : {-0.1, 100.0, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_THROW(check_reserve(wrong), Error) << wrong;
  }
}

}  // namespace reserve_test
}  // namespace stashscope
