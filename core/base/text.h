#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace stashscope {

/// `text` on one line in valid UTF-8. Broken bytes, ASCII control characters, U+FFFE, U+FFFF and
/// characters that change the direction of the surrounding text become `\xNN`, byte by byte.
std::string to_valid_utf8(std::string_view text);

/// `text` as valid UTF-8, escaped for a text or an attribute of XML, SVG and HTML.
std::string xml_escaped(std::string_view text);

/// The longest prefix (suffix) of `text` that has at most `limit` bytes and cuts no character.
/// @pre `text` is valid UTF-8
std::string utf8_prefix(const std::string& text, std::size_t limit);
std::string utf8_suffix(const std::string& text, std::size_t limit);

/// `1.25 GiB`, `640 B`: binary units, three significant digits (four from 1000 on); amounts below
/// 1 KiB as whole bytes. Negative differences keep their sign.
std::string format_bytes(std::int64_t bytes);

/// `1.25 GiB (1,342,177,280 B)`.
std::string exact_bytes(std::int64_t bytes);
/// A difference as `format_bytes` writes it, with a sign unless it is 0.
std::string signed_bytes(std::int64_t bytes);

/// `bytes` as `format_bytes` writes it, with as many more decimals as the text needs to differ from
/// that of `other`: `24.02 GiB` beside `24.00 GiB`. Equal amounts have equal texts.
std::string format_bytes_beside(std::int64_t bytes, std::int64_t other);

/// Reads a size such as `80GiB`, `1.5 gib`, `12 GB`, `16g` or `4096` in bytes. KiB to EiB are
/// powers of 1024, kB to EB powers of 1000, and a single letter is binary; case does not matter.
/// Fractions of a byte are rounded. Throws a usage Error for any other text and for sizes beyond 64
/// bits.
std::int64_t parse_bytes(std::string_view text);

/// `671,088,640`.
std::string with_thousands(std::int64_t number);

/// The shortest text that reads back as the same number; never depends on the locale.
std::string format_number(double number);

/// `number` with `digits` decimals; never depends on the locale.
std::string format_fixed(double number, int digits);

/// `number` with `digits` significant digits, such as `1.24e-07`; never depends on the locale.
std::string format_digits(double number, int digits);

/// `1 tensor`, `3 tensors`.
std::string counted(std::size_t count, std::string_view one, std::string_view many);

std::vector<std::string> split(std::string_view text, char separator);
std::string join(const std::vector<std::string>& parts, std::string_view separator);
/// The first `most` parts, and how many more there are: `a, b and 3 more`.
std::string join_first(std::vector<std::string> parts, std::size_t most);
/// `text` without blanks, tabs and line ends on both sides.
std::string trimmed(std::string_view text);

/// Whether `text` matches `pattern`, in which `*` stands for any run of characters.
bool matches_wildcard(std::string_view text, std::string_view pattern);

}  // namespace stashscope
