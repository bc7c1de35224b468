#include "core/run/cpu/execute/allocator.h"

#include <gtest/gtest.h>

#include <cstdint>

#include "core/run/step/runner.h"
#include "tests/support/sanitizer.h"

namespace stashscope::cpu {

TEST(TrackingAllocator, AFailureCountsTheMemoryThatIsLeft) {
  if (test::sanitized) GTEST_SKIP() << "a sanitizer ends the program instead";
  TrackingAllocator allocator;
  const auto held = allocator.allocate(std::int64_t{1} << 20);
  try {
    allocator.release(allocator.allocate(std::int64_t{1} << 60));
    FAIL() << "no machine has so much memory";
  } catch (const OutOfMemory& error) {
    EXPECT_GT(error.available_bytes(), allocator.live_bytes());
  }
  EXPECT_EQ(allocator.live_bytes(), std::int64_t{1} << 20) << "the failure changes nothing";
  allocator.release(held);
}

}  // namespace stashscope::cpu
