#pragma once

#include <optional>

#include "core/passes/rewriting/rewriter.h"

namespace stashscope {

/// A value whose elements are their places along one axis plus a number.
struct Coordinate {
  std::size_t from_end = 1;  ///< the axis, counted from the end: 1 is the last one
  std::int64_t offset = 0;
};

/// Nothing if the value is no such value, as far as its nodes say.
std::optional<Coordinate> coordinate_of(const Rewriter& graph, ValueId value);

/// Whether a node that passes on the elements of its first operand leaves each at its place along
/// the last two axes.
bool keeps_last_axes(const Rewriter& graph, const Node& node);

}  // namespace stashscope
