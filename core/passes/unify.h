#pragma once

#include "core/symbolic/expr.h"

namespace stashscope {

/// Replacements of dimension names by equal expressions. An expression may contain names that are
/// replaced, too. A lookup stores the expression with all names replaced, so that long chains of
/// replacements stay cheap.
class Unifier {
 public:
  using Replacements = IdVector<SymbolId, std::optional<Expr>>;

  /// Only the first `symbols` symbols, which the model declares, may be replaced.
  Unifier(Replacements known, std::size_t symbols);

  Expr apply(const Expr& expr);
  /// Makes a == b by renaming if possible: a side that is a single name is replaced by the other
  /// side; in two expressions of the same form, the names are unified in pairs. Returns whether a
  /// replacement was added.
  bool unify(const Expr& a, const Expr& b);

  /// All replacements; no replacement contains a symbol that is itself replaced.
  Replacements resolved();

 private:
  std::optional<Expr> resolve(SymbolId symbol);
  bool replace(SymbolId symbol, const Expr& by);
  bool unify_lone_symbol(const Expr& a, const Expr& b);
  bool unify_same_form(const Expr& a, const Expr& b);

  Replacements replacements_;
  std::size_t symbols_;
};

/// The symbol when `expr` is exactly one symbol; else nothing.
std::optional<SymbolId> lone_symbol(const Expr& expr);

}  // namespace stashscope
