// Moves Slice, Gather and GatherND above the nodes whose results they reduce, so that these nodes
// compute only the selected positions. The main case is the product with the vocabulary's
// embeddings: the last position of a sequence has no label, so its scores are not needed. (ONNX
// Runtime's compute optimizer does the same.)

#include <algorithm>
#include <map>

#include "core/ops/rules/elementwise.h"
#include "core/ops/rules/op.h"
#include "core/passes/flatten_upstream.h"
#include "core/passes/graph_pass.h"
#include "core/passes/rewriting/operators.h"

namespace stashscope {

namespace {

/// A node that selects positions along one axis of input 0, and the axis, counted from the end: 1
/// is the last axis.
struct Thinning {
  NodeId node;
  std::int64_t from_end = 0;
  bool by_batch = false;  ///< selects different positions per entry of axis 0 (GatherND)
};

/// An input of a node to which a selection can be applied instead of the node's output. `from_end`
/// is the selected axis of the input, counted from the end.
struct Operand {
  std::size_t input = 0;
  std::int64_t from_end = 0;
};
using MovedOperands = std::vector<Operand>;

std::int64_t rank_of(const Rewriter& graph, ValueId id) {
  return static_cast<std::int64_t>(graph.shape(id)->size());
}

const Expr& dim_from_end(const Rewriter& graph, ValueId id, std::int64_t from_end) {
  return (*graph.shape(id))[static_cast<std::size_t>(rank_of(graph, id) - from_end)];
}

std::int64_t counted_from_end(std::int64_t axis, std::int64_t rank) {
  return axis < 0 ? -axis : rank - axis;
}

std::optional<Thinning> slice(const Rewriter& graph, NodeId id) {
  const Node& node = graph.node(id);
  if (graph.opset() < 10 || node.inputs.size() < 4) return std::nullopt;
  const auto axes = graph.integers(node.inputs[3]);
  if (!axes || axes->size() != 1) return std::nullopt;
  return Thinning{id, counted_from_end(axes->front(), rank_of(graph, node.inputs[0]))};
}

std::optional<Thinning> gather(const Rewriter& graph, NodeId id) {
  const Node& node = graph.node(id);
  const Shape* const indices = graph.shape(node.inputs[1]);
  if (indices == nullptr || indices->size() != 1) return std::nullopt;
  const std::int64_t rank = rank_of(graph, node.inputs[0]);
  return Thinning{id, counted_from_end(node.attributes.integer("axis", 0), rank)};
}

/// A GatherND that selects rows along axis 1, different rows for each batch entry; else nothing.
std::optional<Thinning> gather_nd(const Rewriter& graph, NodeId id) {
  const Node& node = graph.node(id);
  const Shape* const indices = graph.shape(node.inputs[1]);
  if (node.attributes.integer("batch_dims", 0) != 1 || indices == nullptr) return std::nullopt;
  if (indices->size() != 3 || !indices->back().is(1)) return std::nullopt;
  return Thinning{id, rank_of(graph, node.inputs[0]) - 1, true};
}

std::optional<Thinning> thinning_of(const Rewriter& graph, NodeId id) {
  const Node& node = graph.node(id);
  if (!node.domain.empty() || node.inputs.size() < 2) return std::nullopt;
  if (graph.shape(node.inputs[0]) == nullptr || graph.shape(node.outputs[0]) == nullptr) {
    return std::nullopt;
  }
  if (node.op_type == "Slice") return slice(graph, id);
  if (node.op_type == "Gather") return gather(graph, id);
  if (node.op_type == "GatherND") return gather_nd(graph, id);
  return std::nullopt;
}

/// The inputs of an elementwise node that have the selected axis. Inputs of size 1 along the axis
/// broadcast and stay unchanged. Nothing if a shape is unknown, or if the size of an input along
/// the axis is neither 1 nor that of the output.
std::optional<MovedOperands> elementwise_operands(const Rewriter& graph, const Node& node,
                                                  std::int64_t from_end) {
  MovedOperands operands;
  const Expr& whole = dim_from_end(graph, node.outputs[0], from_end);
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    const ValueId input = node.inputs[i];
    if (!input.valid()) continue;
    if (graph.shape(input) == nullptr) return std::nullopt;
    if (rank_of(graph, input) < from_end || dim_from_end(graph, input, from_end).is(1)) continue;
    if (dim_from_end(graph, input, from_end) != whole) return std::nullopt;
    operands.push_back({i, from_end});
  }
  return operands;
}

/// The selected axis must come before the normalized axes.
std::optional<MovedOperands> normalization_operands(const Rewriter& graph, const Node& node,
                                                    std::int64_t from_end) {
  const std::int64_t rank = rank_of(graph, node.inputs[0]);
  const std::int64_t axis = counted_from_end(node.attributes.integer("axis", -1), rank);
  return from_end > axis ? std::optional(MovedOperands{{0, from_end}}) : std::nullopt;
}

/// Rows are selected from the left operand only. Batch entries are selected from every operand that
/// has the selected batch axis.
std::optional<MovedOperands> matmul_operands(const Rewriter& graph, const Node& node,
                                             std::int64_t from_end) {
  for (const ValueId input : node.inputs) {
    if (graph.shape(input) == nullptr || rank_of(graph, input) < 2) return std::nullopt;
  }
  if (from_end < 2) return std::nullopt;
  if (from_end == 2) return MovedOperands{{0, 2}};
  return elementwise_operands(graph, node, from_end);
}

std::optional<MovedOperands> gemm_operands(const Rewriter& graph, const Node& node,
                                           std::int64_t from_end) {
  if (from_end != 2 || node.attributes.integer("transA", 0) != 0) return std::nullopt;
  MovedOperands operands = {{0, 2}};
  if (node.inputs.size() < 3 || !node.inputs[2].valid()) return operands;
  const Shape* const addend = graph.shape(node.inputs[2]);
  if (addend == nullptr) return std::nullopt;
  if (addend->size() == 2 && !addend->front().is(1)) operands.push_back({2, 2});
  return operands;
}

std::optional<MovedOperands> transpose_operands(const Rewriter& graph, const Node& node,
                                                std::int64_t from_end) {
  const std::int64_t rank = rank_of(graph, node.outputs[0]);
  const Integers order = node.attributes.integers("perm");
  if (std::ssize(order) != rank) return std::nullopt;
  return MovedOperands{{0, rank - order[static_cast<std::size_t>(rank - from_end)]}};
}

/// The selected axis and all axes before it must be the same in input and output, and the Reshape
/// must copy the size of the selected axis from its input (0 in its shape operand).
std::optional<MovedOperands> reshape_operands(const Rewriter& graph, const Node& node,
                                              std::int64_t from_end) {
  const Shape* const from = graph.shape(node.inputs[0]);
  const Shape& to = *graph.shape(node.outputs[0]);
  const auto operand = graph.integers(node.inputs[1]);
  const auto axis = std::ssize(to) - from_end;
  if (from == nullptr || !operand || axis >= std::ssize(*from)) return std::nullopt;
  if ((*operand)[static_cast<std::size_t>(axis)] != 0) return std::nullopt;
  if (!std::equal(to.begin(), to.begin() + axis + 1, from->begin())) return std::nullopt;
  return MovedOperands{{0, std::ssize(*from) - axis}};
}

/// Returns the inputs of a node to which a selection can be applied instead of the node's output;
/// nothing if the selection cannot move above the node.
using OperandRule = std::optional<MovedOperands> (*)(const Rewriter&, const Node&, std::int64_t);

OperandRule rule_for(const Node& node) {
  static const std::map<std::string, OperandRule> rules = {
      {":MatMul", matmul_operands},
      {":Gemm", gemm_operands},
      {":Transpose", transpose_operands},
      {":Reshape", reshape_operands},
      {":LayerNormalization", normalization_operands},
      {":SimplifiedLayerNormalization", normalization_operands}};
  if (is_elementwise(node)) return elementwise_operands;
  const auto found = rules.find(node.domain + ":" + node.op_type);
  return found == rules.end() ? nullptr : found->second;
}

/// Whether the size of a dimension depends on the data, like the number of labelled positions.
bool is_data_dependent(const Rewriter& graph, const Expr& dim) {
  const auto& sizes = graph.original().data().data_dependent;
  return std::any_of(sizes.begin(), sizes.end(), [&](const DataDependentDim& size) {
    return dim == Expr::symbol(size.symbol);
  });
}

/// Whether the selection keeps one position or at most half of them. A data-dependent selection is
/// assumed to keep few.
bool keeps_little(const Rewriter& graph, const Thinning& thinning) {
  const Node& node = graph.node(thinning.node);
  if (is_data_dependent(graph, dim_from_end(graph, node.outputs[0], thinning.from_end)))
    return true;
  const auto before = dim_from_end(graph, node.inputs[0], thinning.from_end).integer();
  const auto after = dim_from_end(graph, node.outputs[0], thinning.from_end).integer();
  return after && (*after == 1 || (before && 2 * *after <= *before));
}

/// Whether the operand has at most as many elements as the result. If the operand is larger, a
/// selection that keeps most of it saves nothing.
bool is_no_larger(const Rewriter& graph, ValueId operand, ValueId result) {
  const auto a = element_count(graph.type(operand));
  const auto b = element_count(graph.type(result));
  return a && b && is_nonnegative(*b - *a);
}

bool pays(const Rewriter& graph, const Thinning& thinning, const Node& above,
          const MovedOperands& operands) {
  if (operands.empty()) return false;
  if (keeps_little(graph, thinning)) return true;
  return operands.size() == 1 &&
         is_no_larger(graph, above.inputs[operands[0].input], above.outputs[0]);
}

/// Whether each operand has the batch axis that GatherND needs; true for any other selection.
bool fits_batch(const Rewriter& graph, const Thinning& thinning, const Node& above,
                const MovedOperands& operands) {
  if (!thinning.by_batch) return true;
  const Integers order = above.attributes.integers("perm");
  if (above.op_type == "Transpose" && (order.empty() || order[0] != 0)) return false;
  return std::all_of(operands.begin(), operands.end(), [&](const Operand& each) {
    const ValueId input = above.inputs[each.input];
    return each.from_end == rank_of(graph, input) - 1 && rank_of(graph, input) >= 2 &&
           graph.shape(input)->front() == graph.shape(above.outputs[0])->front();
  });
}

/// Inserts a copy of the selection that reads `operand`. Returns the output of the copy.
ValueId thinned(Rewriter& graph, const Thinning& thinning, ValueId operand, std::int64_t from_end) {
  Node copy = graph.node(thinning.node);
  const std::string base = graph.value(operand).name;
  const std::int64_t axis = rank_of(graph, operand) - from_end;
  TensorType type = graph.type(operand);
  (*type.shape)[static_cast<std::size_t>(axis)] =
      dim_from_end(graph, copy.outputs[0], thinning.from_end);
  copy.name = base + "_" + copy.op_type;
  copy.inputs[0] = operand;
  if (copy.op_type == "Gather") copy.attributes.set("axis", axis);
  if (copy.op_type == "Slice") {
    copy.inputs[3] = graph.add_constant(copy.name + "_axes", Tensor::int64s({axis}));
  }
  return graph.insert_before(thinning.node, std::move(copy), std::move(type));
}

/// Whether the selection is along an axis into which a Reshape merged several axes.
bool merges_axis(const Rewriter& graph, NodeId reshape, const Thinning& thinning) {
  return thinning.from_end == rank_of(graph, graph.node(reshape).outputs[0]) &&
         merges_leading_axes(graph, reshape);
}

/// Moves a selection above the producer of its input. If the producer is a Reshape that merges
/// several axes into the selected axis, moves the Reshape up instead. Returns the selections to
/// continue with; empty if nothing moved.
std::vector<Thinning> move_above(Rewriter& graph, const Thinning& thinning) {
  const ValueId input = graph.node(thinning.node).inputs[0];
  const NodeId above = graph.maker(input);
  if (!above.valid() || !graph.is_only_for(input, thinning.node)) return {};
  if (merges_axis(graph, above, thinning)) {
    return flatten_upstream(graph, above) ? std::vector{thinning} : std::vector<Thinning>();
  }
  const OperandRule rule = rule_for(graph.node(above));
  if (rule == nullptr || !graph.only_first_output_is_read(above)) return {};
  const auto operands = rule(graph, graph.node(above), thinning.from_end);
  if (!operands || !pays(graph, thinning, graph.node(above), *operands)) return {};
  if (!fits_batch(graph, thinning, graph.node(above), *operands)) return {};
  Node lowered = graph.node(above);
  std::vector<Thinning> moved;
  for (const Operand& each : *operands) {
    ValueId& operand = lowered.inputs[each.input];
    operand = thinned(graph, thinning, operand, each.from_end);
    moved.push_back({graph.maker(operand), each.from_end, thinning.by_batch});
  }
  lowered.outputs.clear();
  graph.replace(thinning.node, std::move(lowered));
  return moved;
}

/// Replaces a Gather with a scalar index, which drops the axis, by a Gather that keeps the axis,
/// and a Squeeze. The new Gather can be moved.
bool keep_axis_of_single(Rewriter& graph, NodeId id) {
  const Node& node = graph.node(id);
  if (!node.domain.empty() || node.op_type != "Gather" || graph.opset() < 13) return false;
  const auto index = graph.integers(node.inputs[1]);
  const Shape* const data = graph.shape(node.inputs[0]);
  const Shape* const indices = graph.shape(node.inputs[1]);
  if (!index || data == nullptr || indices == nullptr || !indices->empty()) return false;
  const NodeId above = graph.maker(node.inputs[0]);
  if (!above.valid() || !graph.is_only_for(node.inputs[0], id)) return false;
  if (rule_for(graph.node(above)) == nullptr) return false;
  const std::int64_t given = node.attributes.integer("axis", 0);
  const std::int64_t axis = given < 0 ? given + std::ssize(*data) : given;
  Node kept = node;
  kept.name += "_kept_axis";
  TensorType type = graph.type(node.inputs[0]);
  (*type.shape)[static_cast<std::size_t>(axis)] = Expr(1);
  kept.inputs[1] = graph.add_constant(kept.name + "_index", Tensor::int64s(*index));
  const ValueId data_kept = graph.insert_before(id, std::move(kept), std::move(type));
  const ValueId axes = graph.add_constant(graph.node(id).name + "_axes", Tensor::int64s({axis}));
  graph.replace(id, plain_node("Squeeze", "", {data_kept, axes}));
  return true;
}

/// Moves a selection, and the selections that replace it, as far as possible. Returns the number of
/// moves.
std::size_t move_up_from(Rewriter& graph, NodeId start) {
  if (graph.is_removed(start) || graph.node(start).outputs.empty()) return 0;
  if (keep_axis_of_single(graph, start)) start = graph.maker(graph.node(start).inputs[0]);
  std::size_t moves = 0;
  std::vector<Thinning> waiting;
  if (const auto first = thinning_of(graph, start)) waiting.push_back(*first);
  while (!waiting.empty()) {
    const Thinning next = waiting.back();
    waiting.pop_back();
    const std::vector<Thinning> moved = move_above(graph, next);
    moves += moved.empty() ? 0 : 1;
    waiting.insert(waiting.end(), moved.begin(), moved.end());
  }
  return moves;
}

}  // namespace

std::size_t move_upstream(Rewriter& graph, const PassContext&) {
  std::size_t moves = 0;
  // Repeats, because a selection that has moved away may have blocked a later selection.
  for (bool moved = true; moved;) {
    const std::size_t before = moves;
    // The last selection moves first, before selections further up move and block it.
    for (std::size_t i = graph.node_count(); i-- > 0;) moves += move_up_from(graph, NodeId(i));
    moved = moves != before;
  }
  return moves;
}

}  // namespace stashscope
