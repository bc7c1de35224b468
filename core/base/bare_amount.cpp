#include "core/base/bare_amount.h"

#include <algorithm>

#include "core/base/text.h"

namespace stashscope {

bool is_bare_amount(std::string_view text) {
  std::string number = trimmed(text);
  if (number.starts_with('-')) number = trimmed(std::string_view(number).substr(1));
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  return std::ranges::any_of(number, is_digit) && std::ranges::count(number, '.') <= 1 &&
         std::ranges::all_of(number, [&](char c) { return is_digit(c) || c == '.'; });
}

std::string with_unit(std::string_view text, std::string_view unit) {
  if (!is_bare_amount(text)) return std::string(text);
  return trimmed(text) + " " + std::string(unit);
}

}  // namespace stashscope
