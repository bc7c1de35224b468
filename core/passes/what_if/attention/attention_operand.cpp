#include "core/passes/what_if/attention/attention_operand.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace stashscope {

namespace {

/// The node that makes a value. Looks through Identity nodes.
NodeId maker_of(const Rewriter& graph, ValueId value) {
  NodeId maker = graph.maker(value);
  while (maker.valid() && is(graph.node(maker), "Identity")) {
    maker = graph.maker(graph.node(maker).inputs[0]);
  }
  return maker;
}

/// The permutation that applies `inner` first, then `perm`.
std::vector<std::int64_t> composed(const std::vector<std::int64_t>& perm,
                                   const std::vector<std::int64_t>& inner) {
  std::vector<std::int64_t> both;
  both.reserve(perm.size());
  for (const std::int64_t axis : perm) both.push_back(inner[static_cast<std::size_t>(axis)]);
  return both;
}

/// Whether `longer` is `shape` with one more axis after the heads (axis 1).
bool has_axis_behind_heads(const Shape& shape, const Shape& longer) {
  return shape.size() == 4 && longer.size() == 5 && shape[0] == longer[0] &&
         shape[1] == longer[1] && shape[2] == longer[3] && shape[3] == longer[4];
}

/// Whether each head is repeated: `unsqueezed` has a new axis of size 1 after the heads, which is
/// larger in `expanded`. A new axis before the heads would repeat the list of heads instead.
bool repeats_heads(const Shape& shape, const Shape& unsqueezed, const Shape& expanded) {
  return has_axis_behind_heads(shape, unsqueezed) && unsqueezed[2].is(1) &&
         has_axis_behind_heads(shape, expanded);
}

/// Whether `merged` is `expanded` with its heads and repetitions as one axis.
bool merges_heads(const Shape& expanded, const Shape& merged) {
  return merged.size() == 4 && merged[0] == expanded[0] && merged[1] == expanded[1] * expanded[2] &&
         merged[2] == expanded[3] && merged[3] == expanded[4];
}

}  // namespace

bool is_identity(const std::vector<std::int64_t>& perm) { return std::ranges::is_sorted(perm); }

AttentionOperand operand_of(const Rewriter& graph, ValueId value) {
  std::vector<std::int64_t> perm(graph.shape(value)->size());
  std::iota(perm.begin(), perm.end(), 0);
  return {value, std::move(perm)};
}

AttentionOperand transposed(AttentionOperand operand) {
  std::swap(operand.perm[operand.perm.size() - 1], operand.perm[operand.perm.size() - 2]);
  return operand;
}

AttentionOperand seen_through(const Rewriter& graph, AttentionOperand operand) {
  for (;;) {
    const NodeId maker = maker_of(graph, operand.value);
    if (!maker.valid() || !is(graph.node(maker), "Transpose")) return operand;
    const std::vector<std::int64_t> perm = graph.node(maker).attributes.integers("perm");
    if (perm.size() != operand.perm.size()) return operand;
    operand = {graph.node(maker).inputs[0], composed(operand.perm, perm)};
  }
}

AttentionOperand before_repetition(const Rewriter& graph, const AttentionOperand& operand) {
  if (!is_identity(operand.perm)) return operand;
  const NodeId reshape = maker_of(graph, operand.value);
  if (!reshape.valid() || !is(graph.node(reshape), "Reshape")) return operand;
  const NodeId expand = maker_of(graph, graph.node(reshape).inputs[0]);
  if (!expand.valid() || !is(graph.node(expand), "Expand")) return operand;
  const NodeId unsqueeze = maker_of(graph, graph.node(expand).inputs[0]);
  if (!unsqueeze.valid() || !is(graph.node(unsqueeze), "Unsqueeze")) return operand;
  const ValueId source = graph.node(unsqueeze).inputs[0];
  const Shape* const before = graph.shape(source);
  const Shape* const unsqueezed = graph.shape(graph.node(unsqueeze).outputs[0]);
  const Shape* const expanded = graph.shape(graph.node(expand).outputs[0]);
  const Shape* const merged = graph.shape(operand.value);
  if (before == nullptr || unsqueezed == nullptr || expanded == nullptr || merged == nullptr) {
    return operand;
  }
  if (!repeats_heads(*before, *unsqueezed, *expanded)) return operand;
  if (!merges_heads(*expanded, *merged)) return operand;
  return seen_through(graph, operand_of(graph, source));
}

}  // namespace stashscope
