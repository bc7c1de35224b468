#pragma once

#include <optional>

#include "core/passes/rewriting/rewriter.h"

namespace stashscope {

/// Says that each element of a value equals the element's own position along one axis, plus an
/// offset.
struct Coordinate {
  std::size_t from_end = 1;  ///< the axis, counted from the end: 1 is the last one
  std::int64_t offset = 0;
};

/// The coordinate that the elements of a value equal. Nothing if the nodes that make the value do
/// not prove such a coordinate.
std::optional<Coordinate> coordinate_of(const Rewriter& graph, ValueId value);

/// Whether a node that passes on the elements of its first operand leaves each at its place along
/// the last two axes.
bool keeps_last_axes(const Rewriter& graph, const Node& node);

}  // namespace stashscope
