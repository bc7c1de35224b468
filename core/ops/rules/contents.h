#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/graph/element_type.h"
#include "core/symbolic/expr.h"

namespace stashscope {

/// The elements of a tensor as integers; nothing if an element is not an integer constant or
/// `contents` is null.
std::optional<std::vector<std::int64_t>> integers_of(const std::vector<Expr>* contents);

/// A binary floating-point number as an exact fraction. Nothing for NaN and infinity, and for an
/// odd integer times 2^n with n outside of [-60, 20].
std::optional<Expr> exact_expr(double number);

/// `item` as a tensor of type `element` stores it: floating-point numbers are rounded. Nothing if
/// the item does not fit the type. A symbolic item is returned unchanged.
std::optional<Expr> stored_item(const Expr& item, ElementType element);

/// A fraction of small integers that rounds to the same float32 as `number`, and is probably the
/// number that the author meant. A run rounds every product; with this fraction, a size times 0.7
/// equals the size that a run finds. Returns `number` if it is symbolic or no such fraction is
/// found.
Expr simplest_fraction(const Expr& number);

}  // namespace stashscope
