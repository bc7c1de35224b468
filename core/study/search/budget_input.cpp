#include "core/study/search/budget_input.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/base/units.h"

namespace stashscope {

namespace {

std::string without_spaces(std::string text) {
  std::erase(text, ' ');
  return text;
}

/// The number in front of the percent sign. Throws a usage Error unless it is in (0, 1000].
double parse_percent(const std::string& text) {
  const std::string number = without_spaces(text);
  double percent = 0;
  const char* const end = number.data() + number.size() - 1;
  const auto result = std::from_chars(number.data(), end, percent);
  const bool is_read = result.ec == std::errc() && result.ptr == end;
  if (!is_read || !(percent > 0 && percent <= 1000)) {
    fail_usage("share '" + printable(text, 60) + "'",
               "is not a percentage above 0 and at most 1000",
               "write a share such as 60% or 12.5 %");
  }
  return percent;
}

constexpr const char* how_to_write =
    "write a size such as 12GiB, a share such as 60% of the peak, or -4GiB to save 4 GiB of the "
    "peak";

/// Replaces the hint of `parse_bytes`, because a budget may also be a share or have a minus sign.
std::int64_t size_in(const std::string& text) {
  try {
    return parse_bytes(text);
  } catch (const Error& error) {
    throw Error(error.kind(), error.where(), error.reason(), how_to_write);
  }
}

/// Parses a size. @param fault the error for 0 bytes
std::int64_t bytes_in(const std::string& text, const char* fault) {
  const std::int64_t bytes = size_in(text);
  if (bytes == 0) fail_usage("budget of 0 bytes", fault, how_to_write);
  return bytes;
}

}  // namespace

BudgetInput parse_budget(const std::string& text) {
  if (without_spaces(text).ends_with('%')) return {0, parse_percent(text), std::nullopt};
  if (without_spaces(text).starts_with('-')) {
    return {0, std::nullopt, bytes_in(text.substr(text.find('-') + 1), "nothing is saved")};
  }
  return {bytes_in(text, "no step fits"), std::nullopt, std::nullopt};
}

std::string format_budget(std::int64_t bytes) {
  constexpr int most_decimals = 3;
  const ColumnUnit& unit = largest_unit(byte_units(), static_cast<double>(bytes));
  const double amount = static_cast<double>(bytes) / unit.size;
  const auto text_of = [&](double number, int decimals) {
    return format_fixed(number, decimals) + " " + std::string(unit.name);
  };
  for (int decimals = 0; decimals < most_decimals; ++decimals) {
    std::string text = text_of(amount, decimals);
    if (parse_bytes(text) == bytes) return text;
  }
  return text_of(std::floor(amount * 1000) / 1000, most_decimals);
}

std::int64_t budget_bytes(const BudgetInput& budget, std::int64_t peak_bytes) {
  if (budget.saved) return std::max<std::int64_t>(1, peak_bytes - *budget.saved);
  if (!budget.percent) return budget.bytes;
  const double share = *budget.percent / 100 * static_cast<double>(peak_bytes);
  return std::max<std::int64_t>(1, std::llround(share));
}

}  // namespace stashscope
