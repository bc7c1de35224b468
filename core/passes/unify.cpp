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

bool Unifier::replace(SymbolId symbol, const Expr& by) {
  const std::vector<SymbolId> used = by.symbols();
  if (symbol.index() >= symbols_ || std::binary_search(used.begin(), used.end(), symbol)) {
    return false;
  }
  for (const SymbolId other : used) {
    if (other.index() >= symbols_) return false;
  }
  Replacements single(symbols_);
  single[symbol] = by;
  for (const SymbolId each : IdRange<SymbolId>(symbols_)) {
    auto& earlier = replacements_[each];
    if (earlier) earlier = earlier->substitute(single);
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
  Replacements renaming(symbols_);
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (from[i].index() >= symbols_ || to[i].index() >= symbols_) return false;
    renaming[from[i]] = Expr::symbol(to[i]);
  }
  if (b.substitute(renaming) != a) return false;
  bool learned = false;
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (from[i] != to[i]) learned |= unify(Expr::symbol(to[i]), Expr::symbol(from[i]));
  }
  return learned;
}

bool Unifier::unify(const Expr& a, const Expr& b) {
  const Expr left = apply(a);
  const Expr right = apply(b);
  if (left == right) return false;
  if (unify_lone_symbol(left, right)) return true;
  const bool same_form = left.symbols() <= right.symbols() ? unify_same_form(left, right)
                                                           : unify_same_form(right, left);
  return same_form;
}

}  // namespace stashscope
