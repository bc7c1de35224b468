#include "core/snapshot/pickle_texts.h"

#include <charconv>

namespace stashscope {

namespace {

template <class Number>
std::optional<Number> number_of(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

void append_utf8(std::string& text, std::uint32_t point) {
  const auto tail = [&](int shift) {
    text.push_back(static_cast<char>(0x80U | (point >> shift & 0x3FU)));
  };
  if (point < 0x80) {
    text.push_back(static_cast<char>(point));
  } else if (point < 0x800) {
    text.push_back(static_cast<char>(0xC0U | point >> 6));
    tail(0);
  } else if (point < 0x10000) {
    text.push_back(static_cast<char>(0xE0U | point >> 12));
    tail(6);
    tail(0);
  } else {
    text.push_back(static_cast<char>(0xF0U | point >> 18));
    tail(12);
    tail(6);
    tail(0);
  }
}

/// Appends the character whose number `digits` state in hexadecimal. Returns false if they state
/// none.
bool append_escape(std::string& text, std::string_view digits) {
  std::uint32_t point = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), point, 16);
  if (error != std::errc() || end != digits.data() + digits.size() || point > 0x10FFFF) {
    return false;
  }
  append_utf8(text, point);
  return true;
}

/// The number of hexadecimal digits behind a backslash and this letter; 0: not such an escape.
std::size_t digits_of(char letter) {
  switch (letter) {
    case 'x':
      return 2;
    case 'u':
      return 4;
    case 'U':
      return 8;
    default:
      return 0;
  }
}

char plain_escape(char letter) {
  switch (letter) {
    case 'n':
      return '\n';
    case 't':
      return '\t';
    case 'r':
      return '\r';
    default:
      return letter;
  }
}

/// `literal`: a string literal of Python in UTF-8. `raw`: a text of Latin-1 in which only `\u` and
/// `\U` are escapes.
enum class Escapes : std::uint8_t { literal, raw };

bool is_numbered(char letter, Escapes escapes) {
  return digits_of(letter) > 0 && (escapes == Escapes::literal || letter != 'x');
}

std::optional<std::string> without_escapes(std::string_view text, Escapes escapes) {
  std::string plain;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool is_escape = text[at] == '\\' && at + 1 < text.size();
    if (is_escape && is_numbered(text[at + 1], escapes)) {
      const std::size_t digits = digits_of(text[at + 1]);
      if (text.size() < at + 2 + digits) return std::nullopt;
      if (!append_escape(plain, text.substr(at + 2, digits))) return std::nullopt;
      at += 1 + digits;
    } else if (escapes == Escapes::raw) {
      append_utf8(plain, static_cast<unsigned char>(text[at]));
    } else {
      plain.push_back(is_escape ? plain_escape(text[++at]) : text[at]);
    }
  }
  return plain;
}

}  // namespace

std::optional<std::int64_t> integer_of_bytes(std::string_view bytes) {
  if (bytes.size() > 8) return std::nullopt;
  std::uint64_t bits = 0;
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    bits |= std::uint64_t{static_cast<unsigned char>(bytes[at])} << (8 * at);
  }
  const bool is_negative =
      !bytes.empty() && (static_cast<unsigned char>(bytes.back()) & 0x80U) != 0;
  if (is_negative && bytes.size() < 8) bits |= ~std::uint64_t{0} << (8 * bytes.size());
  return static_cast<std::int64_t>(bits);
}

std::optional<std::int64_t> integer_of_text(std::string_view text) {
  if (text.ends_with('L')) text.remove_suffix(1);
  return number_of<std::int64_t>(text);
}

std::optional<double> real_of_text(std::string_view text) { return number_of<double>(text); }

std::optional<std::string> text_of_literal(std::string_view literal) {
  if (literal.size() < 2 || literal.front() != literal.back()) return std::nullopt;
  if (literal.front() != '\'' && literal.front() != '"') return std::nullopt;
  return without_escapes(literal.substr(1, literal.size() - 2), Escapes::literal);
}

std::optional<std::string> text_of_escapes(std::string_view text) {
  return without_escapes(text, Escapes::raw);
}

}  // namespace stashscope
