#include "core/passes/what_if/sparse/coordinates.h"

#include <algorithm>
#include <cmath>

#include "core/passes/rewriting/operators.h"

namespace stashscope {

namespace {

bool is_one(const Expr& dim) { return dim.is(1); }

/// The only axis that is longer than one element, counted from the end; 0 if no axis or more than
/// one is longer.
std::size_t long_axis(const Shape& shape) {
  const auto found = std::ranges::find_if_not(shape, is_one);
  if (found == shape.end() || !std::all_of(found + 1, shape.end(), is_one)) return 0;
  return static_cast<std::size_t>(shape.end() - found);
}

std::optional<std::int64_t> whole_scalar(const Rewriter& graph, ValueId value) {
  constexpr double most = 1e15;
  const auto number = graph.scalar(value);
  if (!number || std::abs(*number) > most || std::trunc(*number) != *number) return std::nullopt;
  return static_cast<std::int64_t>(*number);
}

/// The number that a node adds to its first operand; nothing for any other node.
std::optional<std::int64_t> added_number(const Rewriter& graph, const Node& node) {
  if (is(node, "Add")) return whole_scalar(graph, node.inputs[1]);
  const auto number = is(node, "Sub") ? whole_scalar(graph, node.inputs[1]) : std::nullopt;
  return number ? std::optional(-*number) : std::nullopt;
}

}  // namespace

std::optional<Coordinate> coordinate_of(const Rewriter& graph, ValueId value) {
  const Shape* const shape = graph.shape(value);
  const std::size_t axis = shape == nullptr ? 0 : long_axis(*shape);
  if (axis == 0) return std::nullopt;
  std::int64_t offset = 0;
  for (NodeId maker = graph.maker(value); maker.valid(); maker = graph.maker(value)) {
    const Node& node = graph.node(maker);
    if (is(node, "Range")) {
      const auto start = whole_scalar(graph, node.inputs[0]);
      if (!start || whole_scalar(graph, node.inputs[2]) != 1) return std::nullopt;
      return Coordinate{axis, offset + *start};
    }
    if (node.inputs.empty()) return std::nullopt;  // such as RandomUniform
    value = node.inputs[0];
    const Shape* const before = graph.shape(value);
    if (before == nullptr || long_axis(*before) == 0) return std::nullopt;
    if (is_one_of(node, {"Cast", "Identity", "Reshape", "Unsqueeze", "Squeeze"})) continue;
    const auto added = added_number(graph, node);
    if (!added) return std::nullopt;
    offset += *added;
  }
  return std::nullopt;
}

bool keeps_last_axes(const Rewriter& graph, const Node& node) {
  const Shape* const before = graph.shape(node.inputs[0]);
  const Shape* const after = graph.shape(node.outputs[0]);
  if (before == nullptr || after == nullptr || before->size() < 2 || after->size() < 2)
    return false;
  if (is(node, "Slice")) {
    const auto starts = node.inputs.size() > 1 ? graph.integers(node.inputs[1]) : std::nullopt;
    return starts && has_steps_of_one(graph, node) &&
           std::ranges::all_of(*starts, [](std::int64_t start) { return start == 0; });
  }
  if (is_one_of(node, {"Transpose", "Tile", "Split", "Gather"})) return false;
  return std::equal(before->end() - 2, before->end(), after->end() - 2);
}

}  // namespace stashscope
