// Removes nodes that pass on their input unchanged, merges chains of reshapes and transpositions,
// and replaces computed shapes by constants where the shape is known.

#include <algorithm>

#include "core/ops/families/dropout.h"
#include "core/passes/graph_pass.h"
#include "core/passes/rewriting/operators.h"

namespace stashscope {

namespace {

/// Whether output 0 has the elements of input 0, possibly with other dims.
bool is_reshape(const Node& node) {
  return is_one_of(node, {"Reshape", "Squeeze", "Unsqueeze", "Flatten", "Identity"});
}

ValueId input_of(const Node& node, std::size_t index) {
  return index < node.inputs.size() ? node.inputs[index] : ValueId();
}

bool same_type(const Rewriter& graph, ValueId a, ValueId b) {
  return a.valid() && graph.shape(a) != nullptr && graph.shape(b) != nullptr &&
         *graph.shape(a) == *graph.shape(b) && graph.type(a).element == graph.type(b).element;
}

bool is_scalar(const Rewriter& graph, ValueId id, double number) {
  return graph.scalar(id) == std::optional(number);
}

bool drops_nothing(const Rewriter& graph, const Node& node) {
  if (node.outputs.size() > 1 && node.outputs[1].valid() && graph.is_read(node.outputs[1])) {
    return false;
  }
  return (graph.opset() >= 12 && is_scalar(graph, input_of(node, 1), 0)) ||
         !dropout_trains(graph.original(), node);
}

/// The operand x of x + 0, x * 1 and the like; invalid for any other node.
ValueId unchanged_operand(const Rewriter& graph, const Node& node) {
  const ValueId a = input_of(node, 0);
  const ValueId b = input_of(node, 1);
  const bool adds = is_one_of(node, {"Add", "Sub"});
  if (!adds && !is_one_of(node, {"Mul", "Div", "Pow"})) return ValueId();
  const double neutral = adds ? 0 : 1;
  if (is_scalar(graph, b, neutral)) return a;
  const bool commutes = is_one_of(node, {"Add", "Mul"});
  return commutes && is_scalar(graph, a, neutral) ? b : ValueId();
}

/// The input that equals output 0 element by element; invalid if there is none.
ValueId same_as_output(const Rewriter& graph, const Node& node) {
  const ValueId first = input_of(node, 0);
  if (is_one_of(node, {"Identity"})) return first;
  if (is_one_of(node, {"Dropout"})) return drops_nothing(graph, node) ? first : ValueId();
  ValueId same = unchanged_operand(graph, node);
  if (is_one_of(node, {"Cast", "Expand"})) same = first;
  if (is_one_of(node, {"Slice"}) && graph.opset() >= 10 && has_steps_of_one(graph, node))
    same = first;
  if (is_one_of(node, {"Concat", "Sum", "Max", "Min"}) && node.inputs.size() == 1) same = first;
  if (is_one_of(node, {"Transpose"}) && graph.shape(first) != nullptr) {
    const auto order = permutation_of(node, graph.shape(first)->size());
    if (std::is_sorted(order.begin(), order.end())) same = first;
  }
  return same.valid() && same_type(graph, same, node.outputs[0]) ? same : ValueId();
}

/// The nearest earlier value with the type of a reshape's output, if only reshapes lie between that
/// value and the output; else invalid.
ValueId reshaped_back(const Rewriter& graph, const Node& node) {
  if (!is_reshape(node)) return ValueId();
  ValueId at = input_of(node, 0);
  while (at.valid() && !same_type(graph, at, node.outputs[0])) {
    const NodeId maker = graph.maker(at);
    const bool goes_on = maker.valid() && is_reshape(graph.node(maker));
    at = goes_on ? input_of(graph.node(maker), 0) : ValueId();
  }
  return at;
}

bool skip_no_op(Rewriter& graph, NodeId id) {
  const Node& node = graph.node(id);
  if (node.outputs.empty() || !node.outputs[0].valid() || graph.keeps(node.outputs[0])) {
    return false;
  }
  ValueId same = same_as_output(graph, node);
  if (!same.valid()) same = reshaped_back(graph, node);
  if (!same.valid() || graph.readers(node.outputs[0]).empty()) return false;
  graph.redirect(node.outputs[0], same);
  return true;
}

bool join_transpositions(Rewriter& graph, NodeId id) {
  const Node& node = graph.node(id);
  if (!is_one_of(node, {"Transpose"}) || !graph.is_only_for(node.inputs[0], id)) return false;
  const NodeId before = graph.maker(node.inputs[0]);
  if (!before.valid() || !is_one_of(graph.node(before), {"Transpose"})) return false;
  if (graph.shape(node.inputs[0]) == nullptr) return false;
  const std::size_t rank = graph.shape(node.inputs[0])->size();
  const auto first = permutation_of(graph.node(before), rank);
  Integers joined;
  for (const std::int64_t axis : permutation_of(node, rank)) {
    joined.push_back(first[static_cast<std::size_t>(axis)]);
  }
  graph.set_attribute(id, "perm", joined);
  graph.set_input(id, 0, graph.node(before).inputs[0]);
  return true;
}

/// The shape operand of a Reshape from `from` to `to`. It holds the known dims as numbers, 0 for a
/// dim that is copied from `from`, and -1 for at most one other dim. Nothing if no such operand
/// expresses `to`.
std::optional<std::vector<std::int64_t>> shape_operand(const Shape& from, const Shape& to) {
  std::vector<std::int64_t> operand;
  for (std::size_t i = 0; i < to.size(); ++i) {
    if (const auto number = to[i].integer()) {
      if (*number == 0) return std::nullopt;
      operand.push_back(*number);
    } else {
      operand.push_back(i < from.size() && from[i] == to[i] ? 0 : -1);
    }
  }
  if (std::count(operand.begin(), operand.end(), -1) > 1) return std::nullopt;
  return operand;
}

/// Replaces the computed shape operand of a Reshape by a constant.
bool spell_shape_out(Rewriter& graph, NodeId id) {
  const Node& node = graph.node(id);
  if (!is_one_of(node, {"Reshape"}) || node.inputs.size() != 2) return false;
  if (node.attributes.integer("allowzero", 0) != 0) return false;
  if (!graph.maker(node.inputs[1]).valid()) return false;
  const Shape* const from = graph.shape(node.inputs[0]);
  const Shape* const to = graph.shape(node.outputs[0]);
  if (from == nullptr || to == nullptr) return false;
  const auto operand = shape_operand(*from, *to);
  if (!operand) return false;
  const std::string name = graph.value(node.outputs[0]).name + "_shape";
  graph.set_input(id, 1, graph.add_constant(name, Tensor::int64s(*operand)));
  return true;
}

/// Keeps only the second of two consecutive reshapes, unless the second copies dims of the first.
bool join_reshapes(Rewriter& graph, NodeId id) {
  const Node& node = graph.node(id);
  if (!is_one_of(node, {"Reshape"}) || !graph.is_only_for(node.inputs[0], id)) return false;
  const NodeId before = graph.maker(node.inputs[0]);
  if (!before.valid() || !is_reshape(graph.node(before))) return false;
  const auto operand = graph.integers(input_of(node, 1));
  if (!operand || std::count(operand->begin(), operand->end(), 0) > 0) return false;
  graph.set_input(id, 0, graph.node(before).inputs[0]);
  return true;
}

}  // namespace

std::size_t clean_shapes(Rewriter& graph, const PassContext&) {
  std::size_t changed = 0;
  for (const NodeId id : IdRange<NodeId>(graph.node_count())) {
    for (const auto rule : {skip_no_op, spell_shape_out, join_transpositions, join_reshapes}) {
      if (!graph.is_removed(id)) changed += rule(graph, id);
    }
  }
  return changed;
}

}  // namespace stashscope
