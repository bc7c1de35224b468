// Budgets as set by a slider, without a widget.

#include "ui/panels/planner/budget_slider.h"

#include <gtest/gtest.h>

namespace stashscope::ui {
namespace budget_slider_test {

constexpr std::int64_t peak = 15'000'000'000;

TEST(BudgetSlider, IsFoundAgainOnTheSlider) {
  for (int place = 0; place <= slider_end; ++place) {
    EXPECT_EQ(slider_place(budget_bytes(budget_at(place), peak), peak), place);
  }
}

TEST(BudgetSlider, BeyondThePeakIsTheSlidersEnd) {
  EXPECT_EQ(slider_place(2 * peak, peak), slider_end);
  EXPECT_EQ(slider_place(1, peak), 0);
  EXPECT_EQ(slider_place(5, 0), slider_end) << "a step without memory";
}

}  // namespace budget_slider_test
}  // namespace stashscope::ui
