#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/symbolic/expr.h"

namespace stashscope {

/// A term ready for printing: its factors as text, alphabetically, and its sort key.
struct PrintedTerm {
  Rational coefficient;
  std::vector<std::string> factors;
  std::vector<std::pair<std::string, std::int64_t>> order;
};

/// The terms of `a` in SymPy's print order: names alphabetically, higher powers first, the constant
/// last.
std::vector<PrintedTerm> printed_terms(const Expr& a, const SymbolTable& symbols);

std::string atom_text(const Atom& atom, const SymbolTable& symbols);

/// Texts of the factors, such as `S**2`, in alphabetical order.
std::vector<std::string> factor_texts(const std::vector<Factor>& factors,
                                      const SymbolTable& symbols);

}  // namespace stashscope
