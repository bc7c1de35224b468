#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/graph/element_type.h"
#include "core/symbolic/expr.h"

namespace stashscope {

/// The elements of a tensor as integers; nothing when an element is not an integer constant or
/// `contents` is null.
std::optional<std::vector<std::int64_t>> integers_of(const std::vector<Expr>* contents);

/// A binary floating-point number as an exact fraction; nothing when the fraction does not fit into
/// 64 bits.
std::optional<Expr> exact_expr(double number);

/// `item` as a tensor of type `element` stores it: floating-point numbers are rounded. Nothing when
/// it does not fit the type. A symbolic item is returned unchanged.
std::optional<Expr> stored_item(const Expr& item, ElementType element);

/// The fraction with the smallest denominator that rounds to the same float32: probably the number
/// that the author meant. A run rounds every product; with this fraction, a size times 0.7 equals
/// the size that a run finds.
Expr simplest_fraction(const Expr& number);

}  // namespace stashscope
