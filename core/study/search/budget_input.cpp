#include "core/study/search/budget_input.h"

#include <charconv>
#include <cmath>

#include "core/base/error.h"
#include "core/base/text.h"

namespace stashscope {

namespace {

std::string without_spaces(std::string text) {
  std::erase(text, ' ');
  return text;
}

/// The number in front of the percent sign. Throws a usage Error if there is none in range.
double parse_percent(const std::string& text) {
  const std::string number = without_spaces(text);
  double percent = 0;
  const char* const end = number.data() + number.size() - 1;
  const auto result = std::from_chars(number.data(), end, percent);
  const bool is_read = result.ec == std::errc() && result.ptr == end;
  if (!is_read || !(percent > 0 && percent <= 1000)) {
    fail_usage("share '" + printable(text, 60) + "'", "is not a percentage above 0 and up to 1000",
               "write it like 60% or 12.5 %");
  }
  return percent;
}

}  // namespace

BudgetInput parse_budget(const std::string& text) {
  if (without_spaces(text).ends_with('%')) return {0, parse_percent(text)};
  const std::int64_t bytes = parse_bytes(text);
  if (bytes == 0)
    fail_usage("budget of 0 bytes", "no step fits", "write a size such as 12GiB or 60%");
  return {bytes, std::nullopt};
}

std::int64_t budget_bytes(const BudgetInput& budget, std::int64_t peak_bytes) {
  if (!budget.percent) return budget.bytes;
  return std::llround(*budget.percent / 100 * static_cast<double>(peak_bytes));
}

}  // namespace stashscope
