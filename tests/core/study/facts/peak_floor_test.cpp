// What no plan frees: what a step holds before it begins and when it ends.

#include "core/study/facts/peak_floor.h"

#include <gtest/gtest.h>

#include "tests/support/named_model.h"

namespace stashscope {
namespace peak_floor_test {

std::shared_ptr<const Study> study_of(const Choices& choices) {
  return compute_study(test::named(test::blocks(2)), choices, nullptr, Progress());
}

TEST(PeakFloor, IsWhatTheStepHoldsAtItsEnd) {
  Choices choices;
  choices.dims["N"] = 4;
  const auto study = study_of(choices);
  const PeakFloor floor = peak_floor(*study);
  EXPECT_EQ(floor.bytes, study->baseline->timeline.idle_bytes.back());
  EXPECT_EQ(of(floor.parts, Band::parameters), study->sizes->parameter_bytes);
  EXPECT_EQ(of(floor.parts, Band::gradients), study->sizes->parameter_bytes);
  EXPECT_EQ(of(floor.parts, Band::stashed), 0);
  EXPECT_TRUE(words_of(floor).starts_with("parameters ")) << words_of(floor);
  EXPECT_NE(words_of(floor).find(" and "), std::string::npos);
}

TEST(PeakFloor, PlansDoNotMoveItAndOptimizersRaiseIt) {
  Choices choices;
  choices.dims["N"] = 4;
  const std::int64_t bytes = peak_floor(*study_of(choices)).bytes;
  choices.plans.level = 1;
  EXPECT_EQ(peak_floor(*study_of(choices)).bytes, bytes);
  choices.update.optimizer = "adam";
  EXPECT_GT(peak_floor(*study_of(choices)).bytes, bytes);
}

}  // namespace peak_floor_test
}  // namespace stashscope
