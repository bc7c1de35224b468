#include "core/study/facts/plan_summary.h"

#include <gtest/gtest.h>

namespace stashscope {
namespace plan_summary_test {

TEST(PlanText, CountsTheRunsBeyondTheFirst) {
  Choices choices;
  choices.plans.sequence = PlannedSequence{{0, 1, 2, 1, 2, 1}, 0};
  const Repeats repeats = repeats_of(choices);
  EXPECT_EQ(repeats.nodes, 2U);
  EXPECT_EQ(repeats.runs, 3U);
  EXPECT_EQ(plan_text(choices), "2 nodes run again, 3 additional runs in total, views not counted");
}

TEST(PlanText, IsAConfigStringWithoutASequence) {
  Choices choices;
  EXPECT_EQ(plan_text(choices), "no plans");
  EXPECT_EQ(repeats_of(choices).nodes, 0U);
  choices.plans.config = parse_config("Gelu+:1:-1");
  choices.plans.pinned = {"a", "b"};
  const std::string text = plan_text(choices);
  EXPECT_TRUE(text.starts_with("Gelu+:1:-1 with --probe " + to_string(choices.plans.search)));
  EXPECT_TRUE(text.ends_with(", 2 pinned")) << text;
}

}  // namespace plan_summary_test
}  // namespace stashscope
