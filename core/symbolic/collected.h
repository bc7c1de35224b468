#pragma once

#include <string>
#include <vector>

#include "core/symbolic/expr.h"

namespace stashscope {

/// One product as ONNX Runtime's memory optimizer writes it: coefficient * dim * dim * ...
struct SizeProduct {
  Rational coefficient;
  std::vector<Expr> dims;
};

/// The sum of `products` in the notation of the memory optimizer's tables: SymPy's simplified form
/// with floating-point coefficients. Products of equal dimensions are added up and stay factored
/// (`128.0*B*S*(S - 1)`), except that a number is multiplied into a lone sum (`128.0*S - 128.0`). A
/// sum of different products has their common factors in front (`B*S*(384.0*S - 64.0)`). A pure
/// number has 15 significant digits (`2048.00000000000`).
std::string collected_text(const std::vector<SizeProduct>& products, const SymbolTable& symbols);

}  // namespace stashscope
