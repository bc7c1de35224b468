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

/// A binary floating-point number as an exact fraction. Nothing for NaN, infinity, a magnitude of
/// 2^63 or more, and an odd integer times 2^n with n outside of [-60, 20].
std::optional<Expr> exact_expr(double number);

/// The value that a tensor of type `element` stores for `item`: for a floating-point type of 16 or
/// 32 bits, the number rounded to this type. Nothing if the item does not fit the type, or if
/// `exact_expr` has no fraction for the number. A symbolic item is returned unchanged.
std::optional<Expr> stored_item(const Expr& item, ElementType element);

/// A fraction of small integers that rounds to the same float32 as `number`, such as 7/10 for the
/// float32 nearest to 0.7. The author of the model probably meant this fraction. With the fraction,
/// exact arithmetic gives the same size as a run: 10 * 7/10 is 7, and a run gets 7 for 10 * 0.7,
/// too, because float32 rounds the product. Returns `number` unchanged if it is symbolic, if it is
/// an integer, or if no such fraction is found.
Expr simplest_fraction(const Expr& number);

}  // namespace stashscope
