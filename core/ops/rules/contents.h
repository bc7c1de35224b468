#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/graph/element_type.h"
#include "core/symbolic/expr.h"

namespace stashscope {

/// Known elements of a tensor as numbers; nothing when one of them is not known to be one, or when
/// there are none to know (null).
std::optional<std::vector<std::int64_t>> integers_of(const std::vector<Expr>* contents);

/// A binary floating point number as an exact fraction, when its parts fit.
std::optional<Expr> exact_expr(double number);

/// An element as a tensor of that type holds it: floating numbers are rounded; nothing where it
/// does not fit. What is no number stays as it is.
std::optional<Expr> stored_item(const Expr& item, ElementType element);

/// The fraction of the least denominator that rounds to the same float32: what its author probably
/// meant. Sizes times 0.7 are so the sizes that a run finds, which rounds every product.
Expr simplest_fraction(const Expr& number);

}  // namespace stashscope
