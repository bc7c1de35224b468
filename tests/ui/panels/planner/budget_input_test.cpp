// Budgets as typed and as set by a slider, without a widget.

#include "ui/panels/planner/budget_input.h"

#include <gtest/gtest.h>

#include "tests/support/refusal.h"

namespace stashscope::ui {
namespace budget_input_test {

using stashscope::test::refusal;

constexpr std::int64_t peak = 15'000'000'000;

TEST(BudgetInput, IsBytesOrAShareOfThePeak) {
  EXPECT_EQ(budget_bytes(parse_budget("12GiB"), peak), std::int64_t{12} << 30);
  EXPECT_EQ(budget_bytes(parse_budget(" 900 MB "), peak), 900'000'000);
  EXPECT_EQ(budget_bytes(parse_budget("60%"), peak), 9'000'000'000);
  EXPECT_EQ(budget_bytes(parse_budget("12.5 %"), peak), 1'875'000'000);
  EXPECT_EQ(budget_bytes(parse_budget("150 %"), peak), 22'500'000'000);
}

TEST(BudgetInput, SaysHowToWriteIt) {
  for (const char* const text : {"", "a lot", "12 apples", "-3GiB", "GiB"}) {
    const std::string said = refusal(ErrorKind::usage, [&] { parse_budget(text); });
    EXPECT_NE(said.find("iB"), std::string::npos) << text << ": " << said;
  }
  for (const char* const text : {"%", "0%", "-5 %", "half %", "1e9%", "nan%", "6 0 x%"}) {
    const std::string said = refusal(ErrorKind::usage, [&] { parse_budget(text); });
    EXPECT_NE(said.find("60%"), std::string::npos) << text << ": " << said;
  }
  EXPECT_NE(refusal(ErrorKind::usage, [] { parse_budget("0 B"); }).find("0 bytes"),
            std::string::npos);
}

TEST(BudgetInput, IsFoundAgainOnTheSlider) {
  for (int place = 0; place <= slider_end; ++place) {
    EXPECT_EQ(slider_place(budget_bytes(budget_at(place), peak), peak), place);
  }
}

TEST(BudgetInput, BeyondThePeakIsTheSlidersEnd) {
  EXPECT_EQ(slider_place(2 * peak, peak), slider_end);
  EXPECT_EQ(slider_place(1, peak), 0);
  EXPECT_EQ(slider_place(5, 0), slider_end) << "a step without memory";
}

}  // namespace budget_input_test
}  // namespace stashscope::ui
