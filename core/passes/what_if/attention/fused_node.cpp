#include "core/passes/what_if/attention/fused_node.h"

#include <cmath>

#include "core/passes/what_if/attention/attention_operand.h"

namespace stashscope {

FusedNode::FusedNode(NodeWriter& writer, NodeId id)
    : writer_(writer), graph_(writer.graph()), node_(graph_.node(id)) {
  parts_.block.softmax = parts_.block.last = id;
}

bool FusedNode::has(std::size_t input) const {
  return input < node_.inputs.size() && node_.inputs[input].valid();
}

ValueId FusedNode::wanted(std::size_t output) const {
  if (output >= node_.outputs.size()) return {};
  const ValueId id = node_.outputs[output];
  return id.valid() && graph_.is_read(id) ? id : ValueId();
}

Shape FusedNode::shape_of(std::size_t input) const {
  const Shape* const shape = graph_.shape(node_.inputs[input]);
  if (shape == nullptr) throw AttentionStop{"has an operand of an unknown shape"};
  return *shape;
}

SplitHeads FusedNode::split(ValueId value, std::int64_t heads) {
  const Shape whole = *graph_.shape(value);
  const Expr size = floor_divide(whole.back(), heads);
  const ValueId made =
      writer_.reshape(value, {0, 0, heads, -1}, Shape{whole[0], whole[1], heads, size});
  return {{made, {0, 2, 1, 3}}, {whole[0], heads, whole[1], size}};
}

SplitHeads FusedNode::apart(ValueId value) const {
  return {seen_through(graph_, operand_of(graph_, value)), *graph_.shape(value)};
}

SplitHeads FusedNode::with_cache(SplitHeads now, ValueId past, ValueId present) {
  if (!past.valid() && !present.valid()) return now;
  const ElementType element = graph_.type(now.operand.value).element;
  ValueId all = writer_.transpose(now.operand.value, now.operand.perm);
  if (past.valid()) {
    now.shape[2] = now.shape[2] + (*graph_.shape(past))[2];
    all = writer_.add("Concat", {past, all}, {element, now.shape, {}}, {{"axis", std::int64_t{2}}});
  } else if (all == now.operand.value) {
    all = writer_.add("Identity", {all}, {element, now.shape, {}});
  }
  if (present.valid()) parts_.handed_on.push_back({present, all});
  now.operand = {all, {0, 1, 2, 3}};
  return now;
}

void FusedNode::take(AttentionOperands operands, bool merges_heads) {
  parts_.query = std::move(operands.query.shape);
  parts_.key = std::move(operands.key.shape);
  parts_.value = std::move(operands.value.shape);
  parts_.block.query = std::move(operands.query.operand);
  parts_.block.key = std::move(operands.key.operand);
  parts_.block.value = std::move(operands.value.operand);
  require_matching_heads(parts_.query, parts_.key);
  require_matching_heads(parts_.query, parts_.value);
  parts_.merges_heads = merges_heads;
  if (merges_heads) parts_.block.output_perm = {0, 2, 1, 3};
}

ScoreSize FusedNode::size() {
  const auto positions = [&](const AttentionOperand& operand) {
    return writer_.length(operand.value, operand.perm[operand.perm.size() - 2]);
  };
  return {positions(parts_.block.query), positions(parts_.block.key)};
}

void FusedNode::add_scale(std::optional<double> scale) {
  if (!scale) {
    const auto size = parts_.query.back().integer();
    if (!size) throw AttentionStop{"has heads of a size that is not known"};
    scale = 1 / std::sqrt(static_cast<double>(*size));
  }
  if (*scale != 1) add_number_step("Mul", *scale);
}

void FusedNode::refuse_further_outputs() const {
  if (graph_.only_first_output_is_read(parts_.block.last)) return;
  throw AttentionStop{
      "has a further output that is read, such as the sums of its softmax in a graph with its "
      "backward pass"};
}

void FusedNode::require_mask_type(ValueId mask) const {
  const ElementType element = graph_.type(mask).element;
  if (element == ElementType::boolean || is_floating(element)) return;
  throw AttentionStop{"has a mask of integers"};
}

void FusedNode::add_soft_cap(double cap) {
  if (cap <= 0) return;
  add_number_step("Div", cap);
  parts_.block.steps.push_back({"Tanh", {}});
  add_number_step("Mul", cap);
}

void FusedNode::add_number_step(const char* type, double number) {
  const bool is_wide = graph_.type(parts_.block.query.value).element == ElementType::float64;
  const ElementType element = is_wide ? ElementType::float64 : ElementType::float32;
  parts_.block.steps.push_back({type, {writer_.number(element, number)}});
}

}  // namespace stashscope
