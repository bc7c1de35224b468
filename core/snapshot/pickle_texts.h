#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace stashscope {

// Numbers and texts as pickles write them. The result is empty if the text has another form or if
// the number does not fit.

/// An integer in two's complement of at most 8 bytes, the lowest byte first; 0 for no bytes.
std::optional<std::int64_t> integer_of_bytes(std::string_view bytes);
/// A decimal integer, with or without an L at the end.
std::optional<std::int64_t> integer_of_text(std::string_view text);
std::optional<double> real_of_text(std::string_view text);
/// A Python literal in quotes.
std::optional<std::string> text_of_literal(std::string_view literal);
/// A text with the escapes `\uXXXX` and `\UXXXXXXXX`, as UTF-8.
std::optional<std::string> text_of_escapes(std::string_view text);

}  // namespace stashscope
