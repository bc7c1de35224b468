#include "core/base/text.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <optional>

#include "core/base/error.h"
#include "core/base/units.h"

namespace stashscope {

namespace {

/// Length in bytes of the valid UTF-8 character at the start of `text`; 0 if it is not valid. (The
/// Unicode Standard, table 3-7) @pre `text` is not empty
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const auto follows = [&](std::size_t i) { return i < text.size() && (byte(i) & 0xC0) == 0x80; };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return follows(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    if (!follows(1) || !follows(2)) return 0;
    const bool overlong = first == 0xE0 && byte(1) < 0xA0;
    const bool surrogate = first == 0xED && byte(1) > 0x9F;
    return overlong || surrogate ? 0 : 3;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    if (!follows(1) || !follows(2) || !follows(3)) return 0;
    const bool overlong = first == 0xF0 && byte(1) < 0x90;
    const bool beyond = first == 0xF4 && byte(1) > 0x8F;
    return overlong || beyond ? 0 : 4;
  }
  return 0;
}

std::string escape_byte(unsigned char byte) {
  constexpr std::string_view digits = "0123456789abcdef";
  return {'\\', 'x', digits[byte >> 4], digits[byte & 15]};
}

/// U+202A..U+202E and U+2066..U+2069 change the direction of the text after them.
bool changes_direction(std::string_view sequence) {
  if (sequence.size() != 3 || sequence[0] != '\xE2') return false;
  const auto second = static_cast<unsigned char>(sequence[1]);
  const auto third = static_cast<unsigned char>(sequence[2]);
  return (second == 0x80 && third >= 0xAA && third <= 0xAE) ||
         (second == 0x81 && third >= 0xA6 && third <= 0xA9);
}

/// U+FFFE and U+FFFF are not characters, and XML parsers reject them.
bool is_no_character(std::string_view sequence) {
  return sequence == "\xEF\xBF\xBE" || sequence == "\xEF\xBF\xBF";
}

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

constexpr std::string_view decimal_digits = "0123456789";

std::string_view without_spaces_around(std::string_view text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

/// The bytes of a unit; nothing for an unknown unit.
std::optional<std::int64_t> unit_bytes(std::string_view unit) {
  std::string upper;
  for (const char c : unit) upper += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  if (upper.empty() || upper == "B") return 1;
  constexpr std::string_view prefixes = "KMGTPE";
  const std::size_t power = prefixes.find(upper[0]);
  const std::string_view rest = std::string_view(upper).substr(1);
  if (power == std::string_view::npos) return std::nullopt;
  if (!rest.empty() && rest != "B" && rest != "IB") return std::nullopt;
  std::int64_t bytes = 1;
  for (std::size_t i = 0; i <= power; ++i) bytes *= rest == "B" ? 1000 : 1024;
  return bytes;
}

/// The bytes of `whole.fraction` units; nothing when they do not fit into 64 bits.
/// @param whole, fraction digits only
std::optional<std::int64_t> bytes_of(std::string_view whole, std::string_view fraction,
                                     std::int64_t unit) {
  const std::string share_digits = "0." + std::string(fraction) + "0";
  double share = 0;
  std::from_chars(share_digits.data(), share_digits.data() + share_digits.size(), share);
  std::int64_t bytes = 0;
  const auto status = std::from_chars(whole.data(), whole.data() + whole.size(), bytes).ec;
  if (status == std::errc::result_out_of_range) return std::nullopt;
  if (__builtin_mul_overflow(bytes, unit, &bytes) ||
      __builtin_add_overflow(bytes, std::llround(share * static_cast<double>(unit)), &bytes)) {
    return std::nullopt;
  }
  return bytes;
}

}  // namespace

std::string to_valid_utf8(std::string_view text) {
  std::string safe;
  safe.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const auto first = static_cast<unsigned char>(text[0]);
    if (length == 0 || first < 0x20 || first == 0x7F) {
      safe += escape_byte(first);
      text.remove_prefix(1);
      continue;
    }
    const std::string_view sequence = text.substr(0, length);
    if (changes_direction(sequence) || is_no_character(sequence)) {
      for (const char c : sequence) safe += escape_byte(static_cast<unsigned char>(c));
    } else {
      safe += sequence;
    }
    text.remove_prefix(length);
  }
  return safe;
}

std::string xml_escaped(std::string_view text) {
  std::string escaped;
  for (const char c : to_valid_utf8(text)) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

std::string utf8_prefix(const std::string& text, std::size_t limit) {
  if (text.size() <= limit) return text;
  while (limit > 0 && is_continuation(text[limit])) --limit;
  return text.substr(0, limit);
}

std::string utf8_suffix(const std::string& text, std::size_t limit) {
  if (text.size() <= limit) return text;
  std::size_t start = text.size() - limit;
  while (start < text.size() && is_continuation(text[start])) ++start;
  return text.substr(start);
}

std::string format_bytes(std::int64_t bytes) {
  const ColumnUnit unit = own_byte_unit(bytes);
  return format_fixed(static_cast<double>(bytes) / unit.size, unit.digits) + " " +
         std::string(unit.name);
}

std::string signed_bytes(std::int64_t bytes) {
  return (bytes > 0 ? "+" : "") + format_bytes(bytes);
}

std::string exact_bytes(std::int64_t bytes) {
  return format_bytes(bytes) + " (" + with_thousands(bytes) + " B)";
}

std::string format_bytes_beside(std::int64_t bytes, std::int64_t other) {
  constexpr int most_decimals = 9;
  std::string text = format_bytes(bytes);
  if (bytes == other || text != format_bytes(other)) return text;
  const ColumnUnit unit = own_byte_unit(bytes);
  const double amount = static_cast<double>(bytes) / unit.size;
  const double other_amount = static_cast<double>(other) / unit.size;
  int decimals = unit.digits;
  while (decimals < most_decimals &&
         format_fixed(amount, decimals) == format_fixed(other_amount, decimals)) {
    ++decimals;
  }
  return format_fixed(amount, decimals) + " " + std::string(unit.name);
}

std::int64_t parse_bytes(std::string_view text) {
  const std::string where = "size '" + printable(std::string(text), 60) + "'";
  std::string_view rest = without_spaces_around(text);
  if (rest.starts_with('-')) fail_usage(where, "is negative", "give a number of bytes");
  const auto take_digits = [&] {
    const std::string_view taken = rest.substr(0, rest.find_first_not_of(decimal_digits));
    rest.remove_prefix(taken.size());
    return taken;
  };
  const std::string_view whole = take_digits();
  std::string_view fraction;
  if (rest.starts_with('.')) {
    rest.remove_prefix(1);
    fraction = take_digits();
  }
  const auto unit = unit_bytes(without_spaces_around(rest));
  if (!unit || (whole.empty() && fraction.empty())) {
    fail_usage(where, "is not a number of bytes",
               "write it like 80GiB, 1.5 GiB, 512MiB, 12GB or 1073741824");
  }
  const auto bytes = bytes_of(whole, fraction, *unit);
  if (!bytes) fail_usage(where, "does not fit into 64 bits", "give a smaller size");
  return *bytes;
}

std::string with_thousands(std::int64_t number) {
  const std::string digits = std::to_string(number);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    const bool behind_digit = i > 0 && digits[i - 1] != '-';
    if (behind_digit && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

std::string format_number(double number) {
  std::array<char, 40> buffer{};
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number);
  return {buffer.data(), result.ptr};
}

std::string format_digits(double number, int digits) {
  std::array<char, 40> buffer{};
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number,
                                    std::chars_format::general, digits);
  return {buffer.data(), result.ptr};
}

std::string format_fixed(double number, int digits) {
  std::array<char, 400> buffer{};
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number,
                                    std::chars_format::fixed, digits);
  return {buffer.data(), result.ptr};
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  std::size_t start = 0;
  while (true) {
    const std::size_t end = text.find(separator, start);
    parts.emplace_back(text.substr(start, end - start));
    if (end == std::string_view::npos) return parts;
    start = end + 1;
  }
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string joined;
  for (const std::string& part : parts) {
    if (&part != &parts.front()) joined += separator;
    joined += part;
  }
  return joined;
}

std::string join_first(std::vector<std::string> parts, std::size_t most) {
  const std::size_t others = parts.size() - std::min(parts.size(), most);
  parts.resize(parts.size() - others);
  return join(parts, ", ") + (others == 0 ? "" : " and " + std::to_string(others) + " more");
}

std::string trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(blanks) + 1 - first));
}

std::string counted(std::size_t count, std::string_view one, std::string_view many) {
  return std::to_string(count) + " " + std::string(count == 1 ? one : many);
}

bool matches_wildcard(std::string_view text, std::string_view pattern) {
  std::size_t t = 0;
  std::size_t p = 0;
  std::size_t star = std::string_view::npos;
  std::size_t resume = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace stashscope
