// What a step leaves of the device's memory, and whether plans or passes can make it fit.

#include "core/study/facts/step_room.h"

#include <gtest/gtest.h>

#include "tests/support/named_model.h"

namespace stashscope {
namespace step_room_test {

std::shared_ptr<const Study> study_in(std::int64_t memory, double reserve_percent = 0) {
  Choices choices;
  choices.dims["N"] = 4;
  choices.times.device_memory = memory;
  choices.times.reserve_percent = reserve_percent;
  return compute_study(test::named(test::blocks(2)), choices, nullptr, Progress());
}

std::int64_t peak() { return study_in(1)->current->timeline.peak_bytes; }

TEST(StepRoom, IsNarrowBelowATenthUnlessAReserveIsChosen) {
  const std::int64_t bytes = peak();
  EXPECT_EQ(room_of(*study_in(bytes)).left, 0);
  EXPECT_TRUE(room_of(*study_in(bytes)).is_narrow);
  EXPECT_TRUE(room_of(*study_in(bytes + bytes / 10)).is_narrow);
  EXPECT_FALSE(room_of(*study_in(bytes + bytes / 8)).is_narrow);
  const StepRoom reserved = room_of(*study_in(bytes + bytes / 10, 1));
  EXPECT_GT(reserved.left, 0);
  EXPECT_LT(reserved.left, bytes / 10);
  EXPECT_FALSE(reserved.is_narrow);
}

TEST(StepRoom, IsWhatTheAllocatorLeaves) {
  const std::int64_t bytes = peak();
  const std::int64_t half = bytes / 2;
  const StepRoom wide = room_of(*study_in(2 * bytes), bytes + half);
  EXPECT_EQ(wide.left, bytes - half);
  EXPECT_FALSE(wide.is_narrow);
  EXPECT_TRUE(room_of(*study_in(2 * bytes), 2 * bytes).is_narrow);
  const StepRoom exceeded = room_of(*study_in(2 * bytes), 2 * bytes + 1);
  EXPECT_EQ(exceeded.left, -1);
  EXPECT_TRUE(exceeded.tensors_fit);
  EXPECT_FALSE(exceeded.no_plan_fits);
  const StepRoom too_small = room_of(*study_in(bytes - 1), bytes);
  EXPECT_FALSE(too_small.tensors_fit);
}

TEST(StepRoom, LooksForTheFloorOnlyOfAStepThatDoesNotFit) {
  EXPECT_EQ(room_of(*study_in(peak())).floor.bytes, 0);
  EXPECT_GT(room_of(*study_in(peak() - 1)).floor.bytes, 0);
}

TEST(StepRoom, SaysWhatCanMakeTheStepFit) {
  const StepRoom plannable = room_of(*study_in(peak() - 1));
  EXPECT_EQ(plannable.left, -1);
  EXPECT_FALSE(plannable.is_narrow);
  EXPECT_FALSE(plannable.no_plan_fits);
  const std::int64_t kept = plannable.floor.bytes;
  ASSERT_LT(kept, peak());
  const StepRoom below_floor = room_of(*study_in(kept - 1));
  EXPECT_TRUE(below_floor.no_plan_fits);
  EXPECT_FALSE(below_floor.nothing_fits) << "passes may free inputs and outputs";
  const BandBytes& parts = plannable.floor.parts;
  const std::int64_t fixed = of(parts, Band::parameters) + of(parts, Band::gradients);
  ASSERT_LT(fixed, kept);
  EXPECT_FALSE(room_of(*study_in(fixed)).nothing_fits);
  EXPECT_TRUE(room_of(*study_in(fixed - 1)).nothing_fits);
}

}  // namespace step_room_test
}  // namespace stashscope
