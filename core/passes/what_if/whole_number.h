#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace stashscope {

/// The whole of `text` as an integer of 64 bits; nothing if `text` is anything else.
inline std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t number = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, number);
  return error == std::errc() && end == last ? std::optional(number) : std::nullopt;
}

}  // namespace stashscope
