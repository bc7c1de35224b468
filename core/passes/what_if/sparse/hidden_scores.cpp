// Which scores a mask hides, and which operators keep them hidden. After any node for which there
// is no rule here, nothing is known of a score or a probability.

#include <algorithm>
#include <array>
#include <limits>

#include "core/passes/what_if/sparse/token_flow.h"

namespace stashscope {

namespace {

constexpr double unknown = std::numeric_limits<double>::infinity();

bool has_low(const Bounds& range) {
  return range.high < -small_score || (range.low < -small_score && range.low > -unknown);
}

bool has_high(const Bounds& range) {
  return range.low > small_score || (range.high > small_score && range.high < unknown);
}

bool is_known(const Bounds& range) { return range.low > -unknown || range.high < unknown; }

/// Nodes whose results are elements of operands, or sums and differences of these.
bool adds_or_chooses(const Node& node) {
  return is_one_of(node, {"Add", "Sub", "Neg", "Where", "Max", "Min", "Cast", "Identity"});
}

bool becomes_real(const Rewriter& graph, const Node& node) {
  return is(node, "Identity") ||
         (is(node, "Cast") && is_floating(graph.type(node.outputs[0]).element));
}

}  // namespace

/// Whether the bounds of an operand without tokens hold for left out keys of these scores. They do
/// if they hold for all elements of the operand, or if operand and scores count keys along the same
/// axes.
bool TokenFlow::holds_for_keys(ValueId operand, const TokenState& scores) const {
  if (mask_->flow == nullptr) {
    return !mask_->hidden.of(operand).of_later_keys ||
           (scores.from_end(AxisRole::key) == 1 && scores.from_end(AxisRole::row) == 2);
  }
  const TokenState* const keys = mask_->flow->find(operand);
  if (keys == nullptr) return true;
  return std::ranges::all_of(std::array{AxisRole::batch, AxisRole::key}, [&](auto role) {
    return std::ranges::count(keys->roles, role) == 1 &&
           keys->from_end(role) == scores.from_end(role);
  });
}

/// The largest number that an operand may have for left out keys.
double TokenFlow::most_of(ValueId operand, const TokenState& scores) const {
  if (const TokenState* const state = find(operand)) return state->hidden_at.value_or(unknown);
  return holds_for_keys(operand, scores) ? mask_->hidden.of(operand).high : unknown;
}

/// The largest number that an operand may add to the scores of left out keys. An operand of which
/// nothing is known is taken to have small numbers.
double TokenFlow::most_added(ValueId operand, bool subtracts, const TokenState& scores) const {
  if (const TokenState* const state = find(operand)) {
    if (!subtracts && state->hidden_at) return *state->hidden_at;
    const bool may_show = subtracts ? state->may_be_low : state->may_be_high;
    const bool may_hide = subtracts ? state->may_be_high : state->may_be_low;
    return may_show || (may_hide && mask_->flow == nullptr) ? unknown : 0;
  }
  if (!holds_for_keys(operand, scores)) return unknown;
  Bounds hidden = mask_->hidden.of(operand);
  Bounds shown = mask_->shown.of(operand);
  if (subtracts) hidden = negated(hidden), shown = negated(shown);
  if (hidden.low > small_score) return unknown;
  const double most = hidden.high == unknown ? 0 : hidden.high;
  const bool hides_all = mask_->flow == nullptr
                             ? shown.low < -small_score && (is_known(shown) || most < -small_score)
                             : shown.high <= -small_score;
  return hides_all ? unknown : most;
}

/// Whether a branch of a Where leaves the softmax a key that is not hidden.
bool TokenFlow::keeps_a_key(ValueId branch) const {
  if (const TokenState* const state = find(branch))
    return mask_->flow != nullptr || state->hidden_at || !state->may_be_low;
  const Bounds shown = mask_->shown.of(branch);
  return mask_->flow == nullptr ? shown.low >= -small_score : shown.high > -small_score;
}

double TokenFlow::most_chosen(const Node& node, const TokenState& scores) const {
  const ValueId condition = node.inputs[0];
  const bool is_known_choice = find(condition) == nullptr && holds_for_keys(condition, scores);
  const auto may_be = [&](MaskBounds& bounds, double truth) {
    return !is_known_choice || !bounds.of(condition).is(1 - truth);
  };
  const bool first = keeps_a_key(node.inputs[1]);
  const bool second = keeps_a_key(node.inputs[2]);
  const bool may_be_first = may_be(mask_->shown, 1);
  const bool may_be_second = may_be(mask_->shown, 0);
  // Without a mask, the own key of each row must stay shown. With a mask, it suffices that a shown
  // key may stay shown.
  const bool keeps = mask_->flow == nullptr ? (first || !may_be_first) && (second || !may_be_second)
                                            : (first && may_be_first) || (second && may_be_second);
  if (!keeps) return unknown;
  double most = -unknown;
  if (may_be(mask_->hidden, 1)) most = std::max(most, most_of(node.inputs[1], scores));
  if (may_be(mask_->hidden, 0)) most = std::max(most, most_of(node.inputs[2], scores));
  return most;
}

/// The largest number that the scores of left out keys may have after a node.
double TokenFlow::most_hidden(const Node& node, const TokenState& scores) const {
  if (mask_ == nullptr) return unknown;
  if (is(node, "Add") || is(node, "Sub")) {
    return most_added(node.inputs[0], false, scores) +
           most_added(node.inputs[1], is(node, "Sub"), scores);
  }
  if (is(node, "Where")) return most_chosen(node, scores);
  if (becomes_real(graph_, node)) return most_of(node.inputs[0], scores);
  if (!is(node, "Max")) return unknown;
  double most = -unknown;
  for (const ValueId input : node.inputs) most = std::max(most, most_of(input, scores));
  return most;
}

/// Whether a node keeps the zeros that probabilities have for left out keys.
bool TokenFlow::keeps_zeros(const Node& node, const TokenState& made) const {
  const auto is_zero = [&](ValueId input) {
    if (const TokenState* const state = find(input)) return state->is_share;
    return holds_for_keys(input, made) && mask_->hidden.of(input).is(0);
  };
  if (mask_ == nullptr) return false;
  if (becomes_real(graph_, node)) return is_zero(node.inputs[0]);
  if (is(node, "Mul")) return std::ranges::any_of(node.inputs, is_zero);
  if (is(node, "Div")) return find(node.inputs[1]) == nullptr && is_zero(node.inputs[0]);
  return is(node, "Where") && is_zero(node.inputs[1]) && is_zero(node.inputs[2]);
}

/// Sets whether numbers may be far from 0 after a node.
void TokenFlow::reach(const Node& node, TokenState& made) const {
  made.may_be_low = made.may_be_high = false;
  const std::size_t first = is(node, "Where") ? 1 : 0;
  for (std::size_t i = first; i < node.inputs.size(); ++i) {
    const ValueId input = node.inputs[i];
    if (!input.valid()) continue;
    const TokenState* const state = find(input);
    const auto any = [&](bool TokenState::*flag, bool (*has)(const Bounds&)) {
      if (state != nullptr) return state->*flag;
      return has(mask_->hidden.of(input)) || has(mask_->shown.of(input));
    };
    const bool low = any(&TokenState::may_be_low, has_low);
    const bool high = any(&TokenState::may_be_high, has_high);
    const bool turns = is(node, "Neg") || (is(node, "Sub") && i == 1);
    made.may_be_low = made.may_be_low || (turns ? high : low);
    made.may_be_high = made.may_be_high || (turns ? low : high);
  }
  if (!adds_or_chooses(node)) made.forget_numbers();
}

void TokenFlow::elementwise(NodeId id) {
  const Node& node = graph_.node(id);
  TokenState made = joined(id);
  if (mask_ != nullptr) reach(node, made);
  const double most = most_hidden(node, made);
  if (most <= hidden_score) made.hidden_at = most;
  made.is_share = keeps_zeros(node, made);
  set(id, made);
}

}  // namespace stashscope
