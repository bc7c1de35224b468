// How tokens pass products and nodes that arrange them.

#include <algorithm>

#include "core/passes/rewriting/operators.h"
#include "core/passes/what_if/sparse/token_flow.h"

namespace stashscope {

namespace {

/// The role of the result's last axis. Tokens that the right operand has along its last axis become
/// keys of the left operand's rows.
AxisRole as_key(AxisRole role) { return role == AxisRole::row ? AxisRole::key : role; }

}  // namespace

/// A matrix product may sum over an axis that counts no tokens. It may also sum over keys if the
/// left operand holds shares, because the shares of left out keys are 0.
void TokenFlow::product(NodeId id) {
  const Node& node = graph_.node(id);
  const Shape& a = shape(id, node.inputs[0]);
  const Shape& b = shape(id, node.inputs[1]);
  if (a.size() < 2 || b.size() < 2) stop(id, "multiplies a tensor of one axis");
  const TokenState* const left = find(node.inputs[0]);
  const TokenState* const right = find(node.inputs[1]);
  const auto role = [](const TokenState* state, std::size_t from_end) {
    return state == nullptr ? AxisRole::plain : state->roles[state->roles.size() - from_end];
  };
  const bool sums_shares = left != nullptr && left->is_share && role(left, 1) == AxisRole::key &&
                           role(right, 2) == AxisRole::row;
  const bool sums_plain = role(left, 1) == AxisRole::plain && role(right, 2) == AxisRole::plain;
  if (!sums_shares && !sums_plain) stop(id, "sums over tokens that no mask hides");
  TokenState made;
  made.roles.resize(shape(id, node.outputs[0]).size(), AxisRole::plain);
  const auto join_stack = [&](const TokenState* state, const Shape& dims) {
    if (state == nullptr) return;
    TokenState stack = *state;
    stack.roles[dims.size() - 1] = stack.roles[dims.size() - 2] = AxisRole::plain;
    join(id, stack, dims, made);
  };
  join_stack(left, a);
  join_stack(right, b);
  const std::size_t rank = made.roles.size();
  made.roles[rank - 2] = role(left, 2);
  made.roles[rank - 1] = as_key(role(right, 1));
  if (right != nullptr && right->is_cut) stop(id, "reads tokens without the last position");
  if (role(right, 1) == AxisRole::row && role(left, 2) != AxisRole::row)
    stop(id, "multiplies tokens with something else");
  made.forget_numbers();
  set(id, made);
}

void TokenFlow::gemm(NodeId id) {
  const Node& node = graph_.node(id);
  const TokenState& state = first_alone(id);
  if (node.attributes.integer("transA", 0) != 0 || state.leading() != 1)
    stop(id, "sums over tokens that no mask hides");
  TokenState made = state;
  made.forget_numbers();
  set(id, made);
}

void TokenFlow::transpose(NodeId id) {
  TokenState state = first_alone(id);
  const std::size_t rank = state.roles.size();
  std::vector<AxisRole> roles;
  for (const std::int64_t axis : permutation_of(graph_.node(id), rank))
    roles.push_back(state.roles[axis_of(id, axis, rank)]);
  state.roles = std::move(roles);
  set(id, state);
}

void TokenFlow::reshape(NodeId id) {
  const Node& node = graph_.node(id);
  TokenState state = first_alone(id);
  auto roles = reshaped_roles(shape(id, node.inputs[0]), state.roles, shape(id, node.outputs[0]),
                              sizes_.batch);
  if (!roles) stop(id, "mixes the axes of the tokens with others");
  state.roles = *std::move(roles);
  set(id, state);
}

void TokenFlow::expand(NodeId id) {
  const Node& node = graph_.node(id);
  TokenState made = first_alone(id);
  const std::size_t rank = shape(id, node.outputs[0]).size();
  if (rank < made.roles.size()) stop(id, "has a result with fewer axes than its first operand");
  made.roles.insert(made.roles.begin(), rank - made.roles.size(), AxisRole::plain);
  set(id, made);
}

void TokenFlow::split(NodeId id) {
  const TokenState& state = first_alone(id);
  const std::int64_t axis = graph_.node(id).attributes.integer("axis", 0);
  require_plain(id, state, axis_of(id, axis, state.roles.size()));
  set(id, state);
}

/// A Slice may take any part of an axis that counts no tokens. Of an axis of positions it may take
/// all positions, or all but the last.
void TokenFlow::slice(NodeId id) {
  const Node& node = graph_.node(id);
  TokenState state = first_alone(id);
  const Shape& from = shape(id, node.inputs[0]);
  const Shape& to = shape(id, node.outputs[0]);
  const auto starts = node.inputs.size() > 1 ? graph_.integers(node.inputs[1]) : std::nullopt;
  const auto axes = node.inputs.size() > 3 ? graph_.integers(node.inputs[3]) : std::nullopt;
  const auto steps = node.inputs.size() > 4 ? graph_.integers(node.inputs[4])
                                            : Integers(axes ? axes->size() : 0, 1);
  if (!starts || !axes || !steps || starts->size() != axes->size() ||
      steps->size() != axes->size()) {
    stop(id, "cuts along axes that are not known");
  }
  for (std::size_t i = 0; i < axes->size(); ++i) {
    const std::size_t axis = axis_of(id, (*axes)[i], from.size());
    if (state.roles[axis] == AxisRole::plain) continue;
    const bool from_start = (*starts)[i] == 0 && (*steps)[i] == 1;
    if (from_start && to[axis] == from[axis]) continue;
    const bool is_last_left_out = from_start && state.roles[axis] == AxisRole::row &&
                                  !state.is_cut && to[axis] == sizes_.positions - 1;
    if (!is_last_left_out) stop(id, "takes some of the tokens");
    state.is_cut = true;
  }
  set(id, state);
}

void TokenFlow::concat(NodeId id) {
  const Node& node = graph_.node(id);
  const std::size_t rank = shape(id, node.outputs[0]).size();
  const std::size_t axis = axis_of(id, node.attributes.integer("axis", 0), rank);
  TokenState made;
  made.roles.resize(rank, AxisRole::plain);
  for (const ValueId input : node.inputs) {
    const TokenState* const state = find(input);
    if (state == nullptr) continue;
    require_plain(id, *state, axis);
    join(id, *state, shape(id, input), made);
  }
  for (const ValueId input : node.inputs) {
    const TokenState* const state = find(input);
    if (state != nullptr && (state->roles != made.roles || state->is_cut != made.is_cut))
      stop(id, "joins tokens with something else along their axis");
  }
  set(id, made);
}

void TokenFlow::gather(NodeId id) {
  const Node& node = graph_.node(id);
  TokenState state = first_alone(id);
  const std::int64_t given = node.attributes.integer("axis", 0);
  const std::size_t axis = axis_of(id, given, state.roles.size());
  require_plain(id, state, axis);
  const auto at = state.roles.begin() + static_cast<std::ptrdiff_t>(axis);
  const std::size_t indices = shape(id, node.inputs[1]).size();
  state.roles.insert(state.roles.erase(at), indices, AxisRole::plain);
  state.hidden_at.reset();
  state.is_share = false;
  set(id, state);
}

}  // namespace stashscope
