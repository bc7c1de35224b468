#include "core/passes/what_if/sparse/token_flow.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "core/ops/rules/elementwise.h"
#include "core/passes/rewriting/operators.h"

namespace stashscope {

bool works_by_element(const Node& node) {
  static const std::set<std::string_view> types = {
      "Identity",    "Abs",       "Reciprocal", "Sin",  "Cos",
      "Clip",        "Max",       "Min",        "Not",  "And",
      "Or",          "Equal",     "Greater",    "Less", "GreaterOrEqual",
      "LessOrEqual", "IsNaN",     "Softplus",   "Elu",  "LeakyRelu",
      "HardSigmoid", "HardSwish", "Mish",       "Selu", "Swish",
      "Round",       "Floor",     "Ceil",       "Sign"};
  return is_elementwise(node) || (node.domain.empty() && types.contains(node.op_type));
}

bool is_reduction(const Node& node) {
  return node.domain.empty() && node.op_type.starts_with("Reduce");
}

bool is_row_normalization(const Node& node) {
  return is_one_of(node,
                   {"LayerNormalization", "SimplifiedLayerNormalization", "RMSNormalization"});
}

const TokenState* TokenFlow::find(ValueId value) const {
  const auto found = states_.find(value);
  return found == states_.end() ? nullptr : &found->second;
}

std::size_t TokenFlow::leading(ValueId value) const {
  const TokenState* const state = find(value);
  const Shape* const shape = graph_.shape(value);
  const std::size_t count = state == nullptr || shape == nullptr ? 0 : state->leading();
  if (count == 0) return 0;
  const Expr positions = state->is_cut ? sizes_.positions - 1 : sizes_.positions;
  const Shape rows = count == 1 ? Shape{sizes_.batch * positions} : Shape{sizes_.batch, positions};
  return std::equal(rows.begin(), rows.end(), shape->begin()) ? count : 0;
}

void TokenFlow::stop(NodeId id, std::string reason) const {
  throw SparseStop{id, std::move(reason)};
}

const Shape& TokenFlow::shape(NodeId id, ValueId value) const {
  const Shape* const known = graph_.shape(value);
  if (known == nullptr) stop(id, "has an operand of unknown shape");
  return *known;
}

const TokenState& TokenFlow::first_alone(NodeId id) const {
  const Node& node = graph_.node(id);
  const bool others = std::any_of(node.inputs.begin() + 1, node.inputs.end(),
                                  [&](ValueId input) { return find(input) != nullptr; });
  const TokenState* const first = find(node.inputs[0]);
  if (others || first == nullptr) stop(id, "reads tokens through an input other than its first");
  return *first;
}

std::size_t TokenFlow::axis_of(NodeId id, std::int64_t axis, std::size_t rank) const {
  if (axis < 0) axis += static_cast<std::int64_t>(rank);
  if (axis < 0 || axis >= static_cast<std::int64_t>(rank))
    stop(id, "names an axis that is not there");
  return static_cast<std::size_t>(axis);
}

void TokenFlow::require_plain(NodeId id, const TokenState& state, std::size_t axis) const {
  if (state.roles[axis] != AxisRole::plain) stop(id, "works along the axis of the tokens");
}

void TokenFlow::set(NodeId id, const TokenState& state) {
  for (const ValueId output : graph_.node(id).outputs) {
    if (!output.valid()) continue;
    if (state.roles.size() != shape(id, output).size())
      stop(id, "has a result whose number of axes is not as expected");
    if (graph_.keeps(output) && !graph_.is_graph_output(output))
      stop(id, "makes tokens that a subgraph reads");
    states_[output] = state;
  }
}

TokenFlow::Rule TokenFlow::rule_for(const Node& node) {
  static const std::map<std::string_view, Rule> rules = {
      {"Dropout", &TokenFlow::dropout},    {"Softmax", &TokenFlow::softmax},
      {"LogSoftmax", &TokenFlow::softmax}, {"MatMul", &TokenFlow::product},
      {"Gemm", &TokenFlow::gemm},          {"Transpose", &TokenFlow::transpose},
      {"Reshape", &TokenFlow::reshape},    {"Flatten", &TokenFlow::reshape},
      {"Squeeze", &TokenFlow::reshape},    {"Unsqueeze", &TokenFlow::reshape},
      {"Expand", &TokenFlow::expand},      {"Split", &TokenFlow::split},
      {"Slice", &TokenFlow::slice},        {"Concat", &TokenFlow::concat},
      {"Gather", &TokenFlow::gather},      {"Shape", &TokenFlow::dims},
      {"Size", &TokenFlow::dims}};
  if (works_by_element(node)) return &TokenFlow::elementwise;
  if (is_row_normalization(node)) return &TokenFlow::normalization;
  if (is_reduction(node)) return &TokenFlow::reduction;
  if (is_standard_loss(node)) return &TokenFlow::loss;
  const auto found = rules.find(node.op_type);
  return node.domain.empty() && found != rules.end() ? found->second : nullptr;
}

void TokenFlow::follow() {
  for (std::size_t i = 0; i < graph_.node_count(); ++i) {
    const NodeId id(i);
    if (graph_.is_removed(id)) continue;
    if (mask_ != nullptr) require_no_subgraph(id);
    const auto& inputs = graph_.node(id).inputs;
    if (std::ranges::none_of(inputs, [&](ValueId input) { return find(input) != nullptr; })) {
      continue;
    }
    if (mask_ != nullptr) {
      follow(id);
      continue;
    }
    try {
      follow(id);
    } catch (const SparseStop&) {
      // The results of this node are not followed, so they hide no scores.
    }
  }
}

void TokenFlow::require_no_subgraph(NodeId id) const {
  for (const ValueId captured : graph_.node(id).captured_inputs) {
    if (find(captured) != nullptr) stop(id, "reads tokens in a subgraph");
  }
}

void TokenFlow::follow(NodeId id) {
  const Rule rule = rule_for(graph_.node(id));
  if (rule == nullptr) stop(id, "is an operator whose effect on padding is not known");
  (this->*rule)(id);
}

void TokenFlow::join(NodeId id, const TokenState& from, const Shape& dims, TokenState& to) const {
  if (dims.size() > to.roles.size()) stop(id, "has a result with fewer axes than an operand");
  const std::size_t shift = to.roles.size() - dims.size();
  for (std::size_t i = 0; i < dims.size(); ++i) {
    AxisRole& role = to.roles[shift + i];
    if (dims[i].is(1) || from.roles[i] == AxisRole::plain || role == from.roles[i]) continue;
    if (role != AxisRole::plain) stop(id, "joins tokens along different axes");
    role = from.roles[i];
  }
  to.is_cut = to.is_cut || from.is_cut;
  to.may_be_low = to.may_be_low || from.may_be_low;
  to.may_be_high = to.may_be_high || from.may_be_high;
}

/// The roles of the result of an elementwise node. All operands that hold tokens must count the
/// same things along each axis.
TokenState TokenFlow::joined(NodeId id) const {
  const Node& node = graph_.node(id);
  TokenState made;
  made.roles.resize(shape(id, node.outputs[0]).size(), AxisRole::plain);
  for (const ValueId input : node.inputs) {
    const TokenState* const state = find(input);
    if (state != nullptr) join(id, *state, shape(id, input), made);
  }
  for (const ValueId input : node.inputs) {
    const TokenState* const state = find(input);
    if (state == nullptr) continue;
    const Shape& dims = shape(id, input);
    const std::size_t shift = made.roles.size() - dims.size();
    for (std::size_t i = 0; i < dims.size(); ++i) {
      if (!dims[i].is(1) && state->roles[i] != made.roles[shift + i])
        stop(id, "joins tokens with something else along their axis");
    }
    if (state->is_cut != made.is_cut) stop(id, "joins tokens of different positions");
  }
  return made;
}

/// A dropped score is 0, and no longer low. A dropped probability is 0, as those of hidden keys.
void TokenFlow::dropout(NodeId id) {
  TokenState state = first_alone(id);
  state.hidden_at.reset();
  set(id, state);
}

void TokenFlow::softmax(NodeId id) {
  const Node& node = graph_.node(id);
  TokenState state = first_alone(id);
  const bool single_axis = graph_.opset() >= 13;
  const std::size_t rank = state.roles.size();
  const std::size_t axis = axis_of(id, node.attributes.integer("axis", single_axis ? -1 : 1), rank);
  if (!single_axis && axis + 1 != rank) stop(id, "works along several axes");
  if (state.roles[axis] == AxisRole::key) {
    if (!state.hidden_at) stop(id, "reads scores of tokens that no mask hides");
    state.is_share = is(node, "Softmax");
  } else {
    require_plain(id, state, axis);
    state.is_share = false;
  }
  state.hidden_at.reset();
  state.may_be_low = is(node, "LogSoftmax") && (state.may_be_low || state.may_be_high);
  state.may_be_high = false;
  set(id, state);
}

void TokenFlow::normalization(NodeId id) {
  TokenState state = first_alone(id);
  const std::size_t rank = state.roles.size();
  const std::size_t first = axis_of(id, graph_.node(id).attributes.integer("axis", -1), rank);
  for (std::size_t axis = first; axis < rank; ++axis) require_plain(id, state, axis);
  state.forget_numbers();
  set(id, state);
}

void TokenFlow::reduction(NodeId id) {
  const Node& node = graph_.node(id);
  TokenState state = first_alone(id);
  const auto axes = reduced_axes(graph_, node);
  if (!axes) stop(id, "reduces axes that are not known");
  for (const std::int64_t axis : *axes)
    require_plain(id, state, axis_of(id, axis, state.roles.size()));
  if (node.attributes.integer("keepdims", 1) == 0) {
    std::vector<AxisRole> kept;
    for (std::size_t i = 0; i < state.roles.size(); ++i) {
      if (std::ranges::find(*axes, static_cast<std::int64_t>(i)) == axes->end())
        kept.push_back(state.roles[i]);
    }
    state.roles = std::move(kept);
  }
  state.forget_numbers();
  set(id, state);
}

void TokenFlow::loss(NodeId id) {
  const Node& node = graph_.node(id);
  const TokenState* const scores = find(node.inputs[0]);
  if (scores == nullptr || leading(node.inputs[0]) != 1 || scores->roles.size() != 2)
    stop(id, "reads scores that are not [tokens, classes]");
  if (!graph_.only_first_output_is_read(id)) stop(id, "also hands out its log probabilities");
}

}  // namespace stashscope
