#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace stashscope::ui {

/// A budget as the user states it: in bytes, or as a share of the peak without plans.
struct BudgetInput {
  std::int64_t bytes = 0;
  std::optional<double> percent;  ///< counts instead, where it is given

  friend bool operator==(const BudgetInput&, const BudgetInput&) = default;
};

/// `12GiB`, `900 MB` or `60%`. Throws a usage Error that says how to write it.
BudgetInput parse_budget(const std::string& text);

/// What the budget is with a peak of so many bytes.
std::int64_t budget_bytes(const BudgetInput& budget, std::int64_t peak_bytes);

/// The slider has places from 0 to this one, which is the whole peak.
constexpr int slider_end = 1000;

/// The place of a budget; what is beyond the peak is at the end.
int slider_place(std::int64_t budget_bytes, std::int64_t peak_bytes);
BudgetInput budget_at(int slider_place);

}  // namespace stashscope::ui
