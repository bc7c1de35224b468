// Division, rounding, minimum and maximum of expressions, and proofs of their sign.

#include <algorithm>
#include <numeric>

#include "core/symbolic/expr.h"

namespace stashscope {

namespace {

Expr from_function(FunctionKind kind, std::vector<Expr> arguments) {
  auto function = std::make_shared<const Function>(Function{kind, std::move(arguments)});
  return Expr::from_terms({{Rational(1), {Factor{Atom{SymbolId(), std::move(function)}, 1}}}});
}

/// a / b for single terms; nothing if a factor of b does not divide a.
std::optional<Term> divide_terms(const Term& a, const Term& b) {
  Term quotient{a.coefficient / b.coefficient, a.factors};
  for (const Factor& divisor : b.factors) {
    const auto found = std::find_if(quotient.factors.begin(), quotient.factors.end(),
                                    [&](const Factor& f) { return f.atom == divisor.atom; });
    if (found == quotient.factors.end() || found->power < divisor.power) return std::nullopt;
    found->power -= divisor.power;
    if (found->power == 0) quotient.factors.erase(found);
  }
  return quotient;
}

/// a / b for a single term b; nothing if a factor of b does not divide each term of a.
std::optional<Expr> divide_by_term(const Expr& a, const Term& b) {
  std::vector<Term> quotient;
  for (const Term& term : a.terms()) {
    std::optional<Term> share = divide_terms(term, b);
    if (!share) return std::nullopt;
    quotient.push_back(std::move(*share));
  }
  return Expr::from_terms(std::move(quotient));
}

/// Whether `a` comes before `b` in the monomial order of polynomial division. The order is
/// lexicographic on exponents, higher powers first. Multiplication preserves this order. A missing
/// atom counts as power 0.
bool leads(const Term& a, const Term& b) {
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.factors.size() && j < b.factors.size()) {
    const int atoms = Atom::order(a.factors[i].atom, b.factors[j].atom);
    if (atoms != 0) return atoms < 0;
    if (a.factors[i].power != b.factors[j].power) return a.factors[i].power > b.factors[j].power;
    ++i;
    ++j;
  }
  return i < a.factors.size();
}

Term leading_term(const Expr& a) {
  const std::vector<Term> terms = a.terms();
  return *std::max_element(terms.begin(), terms.end(),
                           [](const Term& x, const Term& y) { return leads(y, x); });
}

/// Least common multiple of the denominators of all coefficients.
std::int64_t common_denominator(const Expr& a) {
  std::int64_t result = 1;
  for (const Term& term : a.terms()) {
    const std::int64_t d = term.coefficient.denominator();
    if (__builtin_mul_overflow(result / std::gcd(result, d), d, &result)) {
      throw ExpressionTooLarge();
    }
  }
  return result;
}

/// Greatest common divisor of all coefficients; `a` has whole coefficients.
std::int64_t content(const Expr& a) {
  std::int64_t result = 0;
  for (const Term& term : a.terms()) result = std::gcd(result, term.coefficient.numerator());
  return result;
}

Expr without_constant(const Expr& a) {
  std::vector<Term> terms = a.terms();
  std::erase_if(terms, [](const Term& term) { return term.factors.empty(); });
  return Expr::from_terms(std::move(terms));
}

/// floor(numerator / divisor) as one floor, if `numerator` has the form floor(x/d) + c with a whole
/// number d: floor((floor(x/d) + c) / divisor) = floor((x + d*c) / (d*divisor)). Else nothing.
/// @pre divisor > 0, and c is a whole number
std::optional<Expr> nested_floor(const Expr& numerator, std::int64_t divisor) {
  const std::vector<Term> terms = numerator.terms();
  Expr shift = 0;
  const Function* inner = nullptr;
  for (const Term& term : terms) {
    if (term.factors.empty()) {
      shift = term.coefficient;
    } else if (inner == nullptr && term.coefficient == Rational(1) && term.factors.size() == 1 &&
               term.factors[0].power == 1 && term.factors[0].atom.function) {
      inner = term.factors[0].atom.function.get();
    } else {
      return std::nullopt;
    }
  }
  if (inner == nullptr || inner->kind != FunctionKind::floor_quotient) return std::nullopt;
  const std::optional<std::int64_t> d = inner->arguments[1].integer();
  if (!d) return std::nullopt;
  return floor_divide(inner->arguments[0] + shift * Expr(*d), Expr(*d) * Expr(divisor));
}

/// floor(numerator / divisor) for integer coefficients and an integer divisor > 0. Terms whose
/// coefficient is a multiple of `divisor` move out of the floor, and the constant is reduced modulo
/// `divisor`, so that floors with the same value become equal expressions.
Expr floor_of_fraction(const Expr& numerator, std::int64_t divisor) {
  std::vector<Term> outside;
  std::vector<Term> inside;
  for (const Term& term : numerator.terms()) {
    const Rational share = term.coefficient / Rational(divisor);
    if (share.is_integer()) {
      outside.push_back({share, term.factors});
    } else if (term.factors.empty()) {
      outside.push_back({Rational(share.floor()), {}});
      inside.push_back({(share - Rational(share.floor())) * Rational(divisor), {}});
    } else {
      inside.push_back(term);
    }
  }
  Expr whole = Expr::from_terms(std::move(outside));
  const Expr rest = Expr::from_terms(std::move(inside));
  if (rest.is_constant()) return whole;
  if (const auto nested = nested_floor(rest, divisor)) return whole + *nested;
  const std::int64_t shared = std::gcd(content(without_constant(rest)), divisor);
  // floor((k*x + c)/(k*d)) = floor((x + floor(c/k))/d) for whole x.
  if (shared > 1) {
    std::vector<Term> smaller = rest.terms();
    for (Term& term : smaller) {
      term.coefficient = Rational((term.coefficient / Rational(shared)).floor());
    }
    return whole + floor_of_fraction(Expr::from_terms(std::move(smaller)), divisor / shared);
  }
  return whole + from_function(FunctionKind::floor_quotient, {rest, Expr(divisor)});
}

std::vector<Expr> flattened(FunctionKind kind, const Expr& a) {
  const std::vector<Term> terms = a.terms();
  const bool alone = terms.size() == 1 && terms[0].coefficient == Rational(1) &&
                     terms[0].factors.size() == 1 && terms[0].factors[0].power == 1;
  if (alone) {
    const auto& function = terms[0].factors[0].atom.function;
    if (function && function->kind == kind) return function->arguments;
  }
  return {a};
}

/// min or max of all arguments, except arguments that another argument provably dominates.
Expr extreme(FunctionKind kind, const Expr& a, const Expr& b) {
  std::vector<Expr> candidates = flattened(kind, a);
  for (const Expr& more : flattened(kind, b)) candidates.push_back(more);
  const auto wins = [&](const Expr& x, const Expr& y) {
    return is_nonnegative(kind == FunctionKind::maximum ? x - y : y - x);
  };
  std::vector<Expr> kept;
  for (const Expr& candidate : candidates) {
    if (std::any_of(kept.begin(), kept.end(), [&](const Expr& k) { return wins(k, candidate); })) {
      continue;
    }
    std::erase_if(kept, [&](const Expr& k) { return wins(candidate, k); });
    kept.push_back(candidate);
  }
  if (kept.size() == 1) return kept[0];
  std::sort(kept.begin(), kept.end(),
            [](const Expr& x, const Expr& y) { return Expr::order(x, y) < 0; });
  return from_function(kind, std::move(kept));
}

bool all_arguments(const Function& function, bool (*holds)(const Expr&)) {
  return std::all_of(function.arguments.begin(), function.arguments.end(), holds);
}

bool any_argument(const Function& function, bool (*holds)(const Expr&)) {
  return std::any_of(function.arguments.begin(), function.arguments.end(), holds);
}

bool atom_is_nonnegative(const Atom& atom) {
  if (!atom.function) return true;
  if (atom.function->kind == FunctionKind::maximum) {
    return any_argument(*atom.function, is_nonnegative);
  }
  return all_arguments(*atom.function, is_nonnegative);
}

bool atom_is_positive(const Atom& atom) {
  if (!atom.function) return true;
  const Function& function = *atom.function;
  switch (function.kind) {
    case FunctionKind::minimum:
      return all_arguments(function, is_positive);
    case FunctionKind::maximum:
      return any_argument(function, is_positive);
    case FunctionKind::floor_quotient:
      return is_positive(function.arguments[1]) &&
             is_nonnegative(function.arguments[0] - function.arguments[1]);
  }
  return false;
}

/// A proven lower bound of an expression.
struct LowerBound {
  Rational value;
  bool is_exceeded = false;  ///< whether the expression is proven to be always above `value`

  bool proves_sign(bool strictly) const {
    return value.sign() > 0 || (value.is_zero() && (is_exceeded || !strictly));
  }
};

std::optional<LowerBound> lower_bound(const Expr& a);

bool is_at_least_one(const Expr& a) {
  const auto bound = lower_bound(a - Expr(1));
  return bound && bound->proves_sign(false);
}

/// Whether an atom is at least 1. A minimum or maximum of fractions may be positive and below 1.
bool atom_is_at_least_one(const Atom& atom) {
  if (!atom.function) return true;
  switch (atom.function->kind) {
    case FunctionKind::minimum:
      return all_arguments(*atom.function, is_at_least_one);
    case FunctionKind::maximum:
      return any_argument(*atom.function, is_at_least_one);
    case FunctionKind::floor_quotient:
      return atom_is_positive(atom);
  }
  return false;
}

/// A lower bound of a sum: its constant, plus the coefficient of each term whose factors are all at
/// least 1. Nothing when a term other than the constant may be negative.
std::optional<LowerBound> lower_bound(const Expr& a) {
  LowerBound bound;
  for (const Term& term : a.terms()) {
    const auto all = [&](const auto& holds) { return std::ranges::all_of(term.factors, holds); };
    if (term.factors.empty()) {
      bound.value = bound.value + term.coefficient;
      continue;
    }
    if (term.coefficient.sign() < 0) return std::nullopt;
    if (all([](const Factor& f) { return atom_is_at_least_one(f.atom); })) {
      bound.value = bound.value + term.coefficient;
    } else if (all([](const Factor& f) { return atom_is_positive(f.atom); })) {
      bound.is_exceeded = true;
    } else if (!all([](const Factor& f) {
                 return f.power % 2 == 0 || atom_is_nonnegative(f.atom);
               })) {
      return std::nullopt;
    }
  }
  return bound;
}

/// A lower bound of `a`. In each subtracted term k*floor(p/d) with a constant d > 0 and no further
/// factor, the exact quotient p/d replaces the floor; the quotient is at least as large.
Expr without_subtracted_floors(const Expr& a) {
  Expr result = 0;
  for (const Term& term : a.terms()) {
    const bool lone = term.coefficient.sign() < 0 && term.factors.size() == 1 &&
                      term.factors[0].power == 1 && term.factors[0].atom.function;
    const Function* const function = lone ? term.factors[0].atom.function.get() : nullptr;
    const bool rounds = function != nullptr && function->kind == FunctionKind::floor_quotient &&
                        function->arguments[1].integer().value_or(0) > 0;
    result = result + (rounds ? Expr(term.coefficient) *
                                    *divide(function->arguments[0], function->arguments[1])
                              : Expr::from_terms({term}));
  }
  return result;
}

/// Whether a >= 0 (strictly: a > 0) is proven by a lower bound of `a` or by bounds of its factors.
bool bounded_below(const Expr& a, bool strictly) {
  const auto at_least = [&](const std::optional<LowerBound>& bound) {
    return bound && bound->proves_sign(strictly);
  };
  if (at_least(lower_bound(a)) || at_least(lower_bound(without_subtracted_floors(a)))) return true;
  if (a.is_constant()) return false;
  const Factored parts = factor(a);
  if (parts.common.empty() || parts.number.sign() <= 0) return false;
  const auto common_holds = [&](const Factor& f) {
    return strictly ? atom_is_positive(f.atom) : atom_is_nonnegative(f.atom);
  };
  return std::all_of(parts.common.begin(), parts.common.end(), common_holds) &&
         at_least(lower_bound(parts.rest));
}

}  // namespace

std::optional<Expr> divide(const Expr& a, const Expr& b) {
  if (const auto number = b.constant()) {
    if (number->is_zero()) return std::nullopt;
    return a * Expr(Rational(1) / *number);
  }
  const Term divisor = leading_term(b);
  // A single term divides term by term. It always divides out the common factors of a sum, however
  // many terms the sum has.
  if (b.terms().size() == 1) return divide_by_term(a, divisor);
  Expr rest = a;
  Expr quotient = 0;
  // Each round finds one term of the quotient and removes the leading term of the rest. Quotients
  // of sizes have few terms, so the loop gives up after 65 rounds.
  for (std::size_t steps = 0; !(rest == Expr(0)); ++steps) {
    if (steps > 64) return std::nullopt;
    const std::optional<Term> step = divide_terms(leading_term(rest), divisor);
    if (!step) return std::nullopt;
    const Expr part = Expr::from_terms({*step});
    quotient = quotient + part;
    rest = rest - part * b;
  }
  return quotient;
}

Expr floor(const Expr& a) {
  if (const auto number = a.constant()) return number->floor();
  const std::int64_t denominator = common_denominator(a);
  const Expr numerator = a * Expr(denominator);
  if (!is_integer_valued(numerator)) {
    return from_function(FunctionKind::floor_quotient, {numerator, Expr(denominator)});
  }
  if (denominator == 1) return a;
  return floor_of_fraction(numerator, denominator);
}

Expr ceil(const Expr& a) { return -floor(-a); }

Expr floor_divide(const Expr& a, const Expr& b) {
  if (const auto exact = divide(a, b)) return floor(*exact);
  return from_function(FunctionKind::floor_quotient, {a, b});
}

Expr ceil_divide(const Expr& a, const Expr& b) {
  if (b.integer() && is_integer_valued(a)) return floor_divide(a + b - Expr(1), b);
  return -floor_divide(-a, b);
}

Expr minimum(const Expr& a, const Expr& b) { return extreme(FunctionKind::minimum, a, b); }
Expr maximum(const Expr& a, const Expr& b) { return extreme(FunctionKind::maximum, a, b); }

bool is_nonnegative(const Expr& a) { return bounded_below(a, false); }
bool is_positive(const Expr& a) { return bounded_below(a, true); }

bool is_integer_valued(const Expr& a) {
  const std::vector<Term> terms = a.terms();
  return std::all_of(terms.begin(), terms.end(), [](const Term& term) {
    if (!term.coefficient.is_integer()) return false;
    return std::all_of(term.factors.begin(), term.factors.end(), [](const Factor& f) {
      return !f.atom.function || f.atom.function->kind == FunctionKind::floor_quotient ||
             all_arguments(*f.atom.function, is_integer_valued);
    });
  });
}

Factored factor(const Expr& a) {
  if (const auto number = a.constant()) return {*number, {}, 1};
  const std::vector<Term> terms = a.terms();
  const std::int64_t denominator = common_denominator(a);
  std::int64_t whole = content(a * Expr(denominator));
  if (leading_term(a).coefficient.sign() < 0) whole = -whole;
  Factored parts;
  parts.number = Rational::ratio(whole, denominator);
  parts.common = terms[0].factors;
  for (const Term& term : terms) {
    for (Factor& common : parts.common) {
      const auto found = std::find_if(term.factors.begin(), term.factors.end(),
                                      [&](const Factor& f) { return f.atom == common.atom; });
      common.power = found == term.factors.end() ? 0 : std::min(common.power, found->power);
    }
  }
  std::erase_if(parts.common, [](const Factor& f) { return f.power == 0; });
  const Expr divisor = Expr::from_terms({{parts.number, parts.common}});
  parts.rest = *divide(a, divisor);
  return parts;
}

}  // namespace stashscope
