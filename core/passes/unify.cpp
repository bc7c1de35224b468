#include "core/passes/unify.h"

#include <algorithm>

namespace stashscope {

std::optional<SymbolId> lone_symbol(const Expr& expr) {
  const std::vector<Term> terms = expr.terms();
  const bool lone = terms.size() == 1 && terms[0].coefficient == Rational(1) &&
                    terms[0].factors.size() == 1 && terms[0].factors[0].power == 1 &&
                    terms[0].factors[0].atom.symbol.valid();
  return lone ? std::optional(terms[0].factors[0].atom.symbol) : std::nullopt;
}

Unifier::Unifier(Replacements known, std::size_t symbols)
    : replacements_(std::move(known)), symbols_(symbols) {
  replacements_.resize(symbols);
}

std::optional<Expr> Unifier::resolve(SymbolId symbol) {
  if (symbol.index() >= symbols_ || !replacements_[symbol]) return std::nullopt;
  const Expr resolved = apply(*replacements_[symbol]);
  replacements_[symbol] = resolved;
  return resolved;
}

Expr Unifier::apply(const Expr& expr) {
  return expr.substitute([this](SymbolId symbol) { return resolve(symbol); });
}

Unifier::Replacements Unifier::resolved() {
  for (const SymbolId symbol : IdRange<SymbolId>(symbols_)) resolve(symbol);
  return replacements_;
}

/// @pre `by` contains no symbol that has a replacement
bool Unifier::replace(SymbolId symbol, const Expr& by) {
  if (symbol.index() >= symbols_) return false;
  for (const SymbolId used : by.symbols()) {
    if (used == symbol || used.index() >= symbols_) return false;
  }
  replacements_[symbol] = by;
  return true;
}

bool Unifier::unify_lone_symbol(const Expr& a, const Expr& b) {
  const auto left = lone_symbol(a);
  const auto right = lone_symbol(b);
  if (left && right) return *left < *right ? replace(*right, a) : replace(*left, b);
  if (left && replace(*left, b)) return true;
  return right && replace(*right, a);
}

bool Unifier::unify_same_form(const Expr& a, const Expr& b) {
  const std::vector<SymbolId> from = b.symbols();
  const std::vector<SymbolId> to = a.symbols();
  if (from.size() != to.size()) return false;
  const auto renamed = [&](SymbolId symbol) -> std::optional<Expr> {
    const auto at = std::lower_bound(from.begin(), from.end(), symbol) - from.begin();
    return Expr::symbol(to[static_cast<std::size_t>(at)]);
  };
  if (b.substitute(renamed) != a) return false;
  bool learned = false;
  for (std::size_t i = 0; i < from.size(); ++i) {
    const Expr left = apply(Expr::symbol(to[i]));
    const Expr right = apply(Expr::symbol(from[i]));
    if (left != right) learned |= unify_lone_symbol(left, right);
  }
  return learned;
}

namespace {

/// Reads floor(x/y) = z as x = y*z if y is not constant, because a reshape divides sizes only
/// without remainder. Nothing for any other equation.
std::optional<std::pair<Expr, Expr>> without_quotient(const Expr& a, const Expr& b) {
  const std::vector<Term> terms = a.terms();
  const bool lone = terms.size() == 1 && terms[0].coefficient == Rational(1) &&
                    terms[0].factors.size() == 1 && terms[0].factors[0].power == 1;
  if (!lone || !terms[0].factors[0].atom.function) return std::nullopt;
  const Function& function = *terms[0].factors[0].atom.function;
  if (function.kind != FunctionKind::floor_quotient || function.arguments[1].is_constant()) {
    return std::nullopt;
  }
  return std::pair(function.arguments[0], function.arguments[1] * b);
}

}  // namespace

bool Unifier::unify(const Expr& a, const Expr& b) {
  const Expr left = apply(a);
  const Expr right = apply(b);
  if (left == right) return false;
  if (const auto product = without_quotient(left, right)) {
    return unify(product->first, product->second);
  }
  if (const auto product = without_quotient(right, left)) {
    return unify(product->first, product->second);
  }
  if (unify_lone_symbol(left, right)) return true;
  return left.symbols() <= right.symbols() ? unify_same_form(left, right)
                                           : unify_same_form(right, left);
}

}  // namespace stashscope
