#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/id.h"
#include "core/symbolic/rational.h"
#include "core/symbolic/symbol_table.h"

namespace stashscope {

struct Polynomial;
struct Function;

/// Values of the dimensions by symbol; an empty entry is a dimension without a value.
using Bindings = IdVector<SymbolId, std::optional<std::int64_t>>;

/// An exact polynomial with rational coefficients. Its variables are dimension names, and
/// floor(a / b), min and max of such polynomials. An Expr is immutable, cheap to copy and in
/// canonical form: equal polynomials compare equal. Simplifications assume that symbols stand for
/// integers of at least 1. Operations whose result exceeds the bounds (256 terms, degree 32, 64-bit
/// coefficients) throw ExpressionTooLarge.
class Expr {
 public:
  Expr() = default;                                   ///< 0
  Expr(std::int64_t integer) : constant_(integer) {}  // NOLINT: numbers convert
  Expr(Rational constant) : constant_(constant) {}    // NOLINT: numbers convert
  static Expr symbol(SymbolId symbol);

  bool is_constant() const { return polynomial_ == nullptr; }
  /// The value of a constant; nothing for any other expression. `integer` also returns nothing for
  /// a fraction.
  std::optional<Rational> constant() const;
  std::optional<std::int64_t> integer() const;
  bool is(std::int64_t integer) const { return this->integer() == integer; }

  friend Expr operator+(const Expr& a, const Expr& b);
  friend Expr operator-(const Expr& a, const Expr& b);
  friend Expr operator*(const Expr& a, const Expr& b);
  Expr operator-() const { return *this * Expr(-1); }
  friend bool operator==(const Expr& a, const Expr& b) { return order(a, b) == 0; }
  /// Compares the canonical forms in a total order that has no arithmetic meaning. Negative if `a`
  /// comes before `b`, 0 if they are equal, positive otherwise.
  static int order(const Expr& a, const Expr& b);

  /// The canonical terms; a constant is at most one term without factors.
  std::vector<struct Term> terms() const;
  static Expr from_terms(std::vector<struct Term> terms);

  /// The value under `bindings`, possibly a fraction; nothing when a needed dimension has no value.
  /// Throws an input Error for a division by 0, and ExpressionTooLarge if the value or a part of it
  /// exceeds 64 bits.
  std::optional<Rational> evaluate_exactly(const Bindings& bindings) const;
  /// The value under `bindings`, rounded towards minus infinity; nothing when a needed dimension
  /// has no value. Throws an input Error for a division by 0 and for a value that exceeds 64 bits.
  std::optional<std::int64_t> evaluate(const Bindings& bindings) const;
  /// All symbols in the expression, sorted, each once.
  std::vector<SymbolId> symbols() const;
  /// Replaces each symbol by the expression that `replacement` returns; nullopt keeps the symbol.
  using Replacement = std::function<std::optional<Expr>(SymbolId)>;
  Expr substitute(const Replacement& replacement) const;

 private:
  Rational constant_;                             // the value when polynomial_ is null
  std::shared_ptr<const Polynomial> polynomial_;  // never a constant
};

/// The indivisible factor of a monomial: a dimension or a function of expressions, never both.
struct Atom {
  SymbolId symbol;                           ///< invalid for a function
  std::shared_ptr<const Function> function;  ///< null for a dimension

  static int order(const Atom& a, const Atom& b);
  friend bool operator==(const Atom& a, const Atom& b) { return order(a, b) == 0; }
};

struct Factor {
  Atom atom;
  std::int64_t power = 1;  ///< at least 1
  friend bool operator==(const Factor&, const Factor&) = default;
};

/// coefficient * product of factors; factors sorted by Atom::order.
struct Term {
  Rational coefficient;
  std::vector<Factor> factors;
};

enum class FunctionKind { floor_quotient, minimum, maximum };

/// floor(a / b), min(a, b, ...) or max(a, b, ...).
struct Function {
  FunctionKind kind;
  std::vector<Expr> arguments;
};

struct Polynomial {
  std::vector<Term> terms;
};

/// a / b if b divides a or is a constant other than 0; nothing otherwise. Also nothing if b has
/// several terms and the quotient has more than 65 terms.
std::optional<Expr> divide(const Expr& a, const Expr& b);
/// a / b, rounded down by `floor_divide` and up by `ceil_divide`. @param b not the constant 0
Expr floor_divide(const Expr& a, const Expr& b);
Expr ceil_divide(const Expr& a, const Expr& b);
Expr floor(const Expr& a);
Expr ceil(const Expr& a);
Expr minimum(const Expr& a, const Expr& b);
Expr maximum(const Expr& a, const Expr& b);

/// Whether a >= 0, or a > 0 for `is_positive`, is proven for all symbols >= 1.
bool is_nonnegative(const Expr& a);
bool is_positive(const Expr& a);
/// Whether a is proven to be an integer for all integer symbols.
bool is_integer_valued(const Expr& a);

/// `a` as number * common factors * rest. For example, 2*x*y - 2*x has the number 2, the common
/// factor x and the rest y - 1. The rest has no common factor, coprime integer coefficients and a
/// positive leading coefficient.
struct Factored {
  Rational number = 1;
  std::vector<Factor> common;
  Expr rest = 1;  ///< 1 when a is a monomial
};
Factored factor(const Expr& a);

/// Text such as `16*B*(S - 1)`, `floor((H + 1)/2)`, `min(S, 1024)`.
std::string to_string(const Expr& a, const SymbolTable& symbols);

/// Reads an expression of names, integers, + - * / // ** and floor, ceil, min, max (or ceiling,
/// Min, Max). Returns nothing for any other text, for a quotient outside of floor and ceil that is
/// not a polynomial, for a power below 0 or above 32, for more than 4096 bytes or 64 nested
/// parentheses, and for an expression that exceeds the bounds of Expr. Names are interned into
/// `symbols` only on success.
std::optional<Expr> parse_expr(std::string_view text, SymbolTable& symbols);

}  // namespace stashscope
