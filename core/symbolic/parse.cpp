#include <cctype>
#include <charconv>

#include "core/symbolic/expr.h"

namespace stashscope {

namespace {

constexpr std::size_t max_length = 4096;
constexpr int max_depth = 64;

/// A recursive-descent parser for expressions as shape inference tools print them. The result is
/// empty if any part of the text cannot be read. The tools print spaces around a binary plus or
/// minus, and the parser requires these spaces, so it rejects `seq-len`.
class Parser {
 public:
  Parser(std::string_view text, SymbolTable& symbols) : text_(text), symbols_(symbols) {}

  std::optional<Expr> parse() {
    const std::optional<Expr> result = settled(sum(0));
    skip_spaces();
    return at_ == text_.size() ? result : std::nullopt;
  }

 private:
  /// A quotient stays in two parts, because a floor around the quotient needs both.
  struct Quotient {
    Expr numerator;
    Expr denominator = 1;
  };

  static std::optional<Expr> settled(const std::optional<Quotient>& quotient) {
    return quotient ? divide(quotient->numerator, quotient->denominator) : std::nullopt;
  }

  std::optional<Quotient> sum(int depth) {
    const std::optional<Quotient> first = product(depth);
    std::optional<Expr> total;
    while (first) {
      const bool plus = take_operator(" + ");
      if (!plus && !take_operator(" - ")) break;
      if (!total) total = settled(first);
      const std::optional<Expr> right = settled(product(depth));
      if (!total || !right) return std::nullopt;
      total = plus ? *total + *right : *total - *right;
    }
    return total ? std::optional(Quotient{*total}) : first;
  }

  std::optional<Quotient> product(int depth) {
    const std::optional<Expr> first = power(depth);
    if (!first) return std::nullopt;
    Quotient result{*first};
    while (true) {
      skip_spaces_before("*/");
      const bool rounds = take_operator("//");
      const bool divides = rounds || take_operator("/");
      if (!divides && (next_is("**") || !take_operator("*"))) return result;
      const std::optional<Expr> right = power(depth);
      if (!right || (divides && right->is(0))) return std::nullopt;
      if (rounds) {
        result = {floor_divide(result.numerator, result.denominator * *right)};
      } else if (divides) {
        result.denominator = result.denominator * *right;
      } else {
        result.numerator = result.numerator * *right;
      }
    }
  }

  std::optional<Expr> power(int depth) {
    skip_spaces();
    if (next_is("-")) {
      ++at_;
      const auto operand = power(depth + 1);
      return operand && depth < max_depth ? std::optional(-*operand) : std::nullopt;
    }
    const std::optional<Expr> base = primary(depth);
    if (!base || !next_is("**")) return base;
    at_ += 2;
    const std::optional<std::int64_t> exponent = number();
    if (!exponent || *exponent < 0 || *exponent > 32) return std::nullopt;
    Expr result = 1;
    for (std::int64_t i = 0; i < *exponent; ++i) result = result * *base;
    return result;
  }

  std::optional<Expr> primary(int depth) {
    if (depth > max_depth || at_ == text_.size()) return std::nullopt;
    if (std::isdigit(static_cast<unsigned char>(text_[at_])) != 0) {
      const std::optional<std::int64_t> value = number();
      return value ? std::optional(Expr(*value)) : std::nullopt;
    }
    if (text_[at_] == '(') {
      const auto inner = arguments(depth);
      return inner.size() == 1 ? settled(inner[0]) : std::nullopt;
    }
    const std::string_view word = name();
    if (word.empty()) return std::nullopt;
    if (at_ < text_.size() && text_[at_] == '(') return call(word, depth);
    return Expr::symbol(symbols_.intern(word));
  }

  std::optional<Expr> call(std::string_view function, int depth) {
    const std::vector<Quotient> args = arguments(depth);
    if (args.size() == 1 && function == "floor") {
      return floor_divide(args[0].numerator, args[0].denominator);
    }
    if (args.size() == 1 && (function == "ceil" || function == "ceiling")) {
      return ceil_divide(args[0].numerator, args[0].denominator);
    }
    const bool least = function == "min" || function == "Min";
    if (args.empty() || (!least && function != "max" && function != "Max")) return std::nullopt;
    std::optional<Expr> result;
    for (const Quotient& argument : args) {
      const std::optional<Expr> next = settled(argument);
      if (!next) return std::nullopt;
      result = !result ? *next : least ? minimum(*result, *next) : maximum(*result, *next);
    }
    return result;
  }

  /// The arguments in `(a, b, ...)`; empty on failure.
  std::vector<Quotient> arguments(int depth) {
    std::vector<Quotient> result;
    ++at_;
    while (true) {
      skip_spaces();
      const auto argument = sum(depth + 1);
      if (!argument) return {};
      result.push_back(*argument);
      skip_spaces();
      if (take_operator(")")) return result;
      if (!take_operator(",")) return {};
    }
  }

  std::optional<std::int64_t> number() {
    std::int64_t value = 0;
    const auto [end, status] =
        std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (status != std::errc()) return std::nullopt;
    at_ = static_cast<std::size_t>(end - text_.data());
    const bool glued = at_ < text_.size() && (is_name_part(text_[at_]) || text_[at_] == '.');
    return glued ? std::nullopt : std::optional(value);
  }

  std::string_view name() {
    const std::size_t start = at_;
    while (at_ < text_.size() && is_name_part(text_[at_])) ++at_;
    return text_.substr(start, at_ - start);
  }

  static bool is_name_part(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  }

  bool next_is(std::string_view token) const { return text_.substr(at_, token.size()) == token; }

  bool take_operator(std::string_view token) {
    if (!next_is(token)) return false;
    at_ += token.size();
    return true;
  }

  void skip_spaces() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }

  /// Skips spaces only when one of `operators` follows, so that ` + ` stays intact.
  void skip_spaces_before(std::string_view operators) {
    const std::size_t next = text_.find_first_not_of(' ', at_);
    if (next != std::string_view::npos && operators.find(text_[next]) != std::string_view::npos) {
      at_ = next;
    }
  }

  std::string_view text_;
  SymbolTable& symbols_;
  std::size_t at_ = 0;
};

}  // namespace

std::optional<Expr> parse_expr(std::string_view text, SymbolTable& symbols) {
  if (text.size() > max_length) return std::nullopt;
  try {
    SymbolTable scratch;
    if (!Parser(text, scratch).parse()) return std::nullopt;
    return Parser(text, symbols).parse();
  } catch (const ExpressionTooLarge&) {
    return std::nullopt;
  }
}

}  // namespace stashscope
