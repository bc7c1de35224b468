#pragma once

#include "core/symbolic/expr.h"

namespace stashscope {

/// Dimension names replaced by expressions, each fully resolved.
class Unifier {
 public:
  using Replacements = IdVector<SymbolId, std::optional<Expr>>;

  /// Only the first `symbols` symbols (those of the model) may be replaced.
  Unifier(Replacements known, std::size_t symbols);

  Expr apply(const Expr& expr) const { return expr.substitute(replacements_); }
  /// Makes a == b where that is possible by renaming: a lone name becomes the other side, and two
  /// products of the same form are matched name by name. Returns whether anything new was learned.
  bool unify(const Expr& a, const Expr& b);

  const Replacements& replacements() const { return replacements_; }

 private:
  bool replace(SymbolId symbol, const Expr& by);
  bool unify_lone_symbol(const Expr& a, const Expr& b);
  bool unify_same_form(const Expr& a, const Expr& b);

  Replacements replacements_;
  std::size_t symbols_;
};

/// The symbol that `expr` consists of, if that is all.
std::optional<SymbolId> lone_symbol(const Expr& expr);

}  // namespace stashscope
