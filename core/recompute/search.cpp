#include "core/recompute/search.h"

#include <algorithm>

#include "core/recompute/buffer_reuse.h"
#include "core/recompute/dataflow_builder.h"

namespace stashscope {

namespace {

/// ONNX Runtime's bound on the nodes of a subgraph; checked before each level of the search.
constexpr std::size_t max_subgraph_nodes = 50;
/// The search does not follow an input of constant shape with fewer elements than this.
constexpr std::int64_t small_constant_elements = 1 << 20;

constexpr const char* not_recomputable = "its operator is not recomputable";

/// Marks the search as failed. Keeps the picked nodes, because they decide whether a search for a
/// compromise is worthwhile.
SearchResult failed(SearchResult result, NodeId entry, NodeId at, std::string rule) {
  result.failed = true;
  result.obstacle = {entry, at, std::move(rule)};
  return result;
}

bool holds(const std::vector<std::int64_t>& versions, std::int64_t version) {
  return std::find(versions.begin(), versions.end(), version) != versions.end();
}

bool is_in_table(const RecomputeRule& rule, const ReferenceRules& rules) {
  return rules.has_late_rows || !rule.is_late;
}

/// The rule for the newest version in the table if `version` is newer; null otherwise.
const RecomputeRule* newest_rule(const Op& op, const ReferenceRules& rules, std::int64_t version) {
  const RecomputeRule* newest = nullptr;
  std::int64_t latest = 0;
  for (const RecomputeRule& rule : op.recompute_rules) {
    if (!is_in_table(rule, rules)) continue;
    for (const std::int64_t each : rule.versions) {
      if (each > latest) newest = &rule;
      latest = std::max(latest, each);
    }
  }
  return version > latest ? newest : nullptr;
}

}  // namespace

std::vector<NodeId> SubgraphSearch::entries() const {
  std::vector<NodeId> found;
  for (std::size_t i = input_.stash.forward_nodes; i-- > 0;) {
    const NodeId node = input_.stash.order[i];
    if (!stashed_outputs(node).empty()) found.push_back(node);
  }
  return found;
}

std::vector<std::size_t> SubgraphSearch::stashed_outputs(NodeId entry) const {
  const Node& node = graph_.node(entry);
  std::vector<std::size_t> positions;
  for (std::size_t i = 0; i < node.outputs.size(); ++i) {
    if (node.outputs[i].valid() && input_.stash.is_stashed[node.outputs[i]]) positions.push_back(i);
  }
  return positions;
}

const RecomputeRule* SubgraphSearch::recompute_rule(NodeId id) const {
  static const RecomputeRule users_own;
  const Op* const op = input_.ops[id];
  if (input_.search.also_recomputable.contains(graph_.node(id).op_type)) return &users_own;
  if (op == nullptr || op->recompute == RecomputeLevel::never) return nullptr;
  if (op->recompute == RecomputeLevel::advanced && input_.search.level < 1) return nullptr;
  const std::int64_t version = since_version(*op, graph_.opset(graph_.node(id).domain));
  for (const RecomputeRule& rule : op->recompute_rules) {
    if (is_in_table(rule, rules_) && holds(rule.versions, version)) return &rule;
  }
  return input_.search.newer_versions ? newest_rule(*op, rules_, version) : nullptr;
}

std::optional<Obstacle> SubgraphSearch::refusal(NodeId entry) const {
  for (const std::size_t output : stashed_outputs(entry)) {
    if (input_.kept.contains(graph_.node(entry).outputs[output])) {
      return Obstacle{entry, entry, "its output is kept because it starts a transformer layer"};
    }
  }
  if (recompute_rule(entry) == nullptr) return Obstacle{entry, entry, not_recomputable};
  return std::nullopt;
}

/// 1 - input bytes / output bytes of a Cast to a wider type; nothing for other nodes.
std::optional<Rational> SubgraphSearch::widening_ratio(NodeId id) const {
  const Node& node = graph_.node(id);
  if (node.op_type != "Cast" || !node.domain.empty()) return std::nullopt;
  if (node.inputs.empty() || !node.inputs[0].valid()) return std::nullopt;
  const int in = bits_per_element(graph_.value(node.inputs[0]).type.element);
  const int out = bits_per_element(graph_.value(node.outputs[0]).type.element);
  if (in == 0 || in >= out) return std::nullopt;
  return Rational(1) - Rational::ratio(in, out);
}

bool SubgraphSearch::widens(const SearchResult& result) const {
  return std::any_of(result.picked.begin(), result.picked.end(),
                     [&](NodeId id) { return widening_ratio(id).has_value(); });
}

SearchResult SubgraphSearch::run(NodeId entry, bool compromise) const {
  SearchResult result;
  std::set<ValueId> handled;
  std::deque<ValueId> queue;
  for (const std::size_t output : stashed_outputs(entry)) {
    queue.push_back(graph_.node(entry).outputs[output]);
  }
  while (!queue.empty() && result.picked.size() < max_subgraph_nodes) {
    for (std::size_t level = queue.size(); level > 0; --level) {
      const ValueId value = queue.front();
      queue.pop_front();
      const NodeId node = graph_.value(value).producer;
      if (!handled.insert(value).second) continue;
      if (node != entry && is_available(value)) continue;
      const RecomputeRule* const rule = recompute_rule(node);
      if (rule == nullptr) return failed(std::move(result), entry, node, not_recomputable);
      if (!result.picked.insert(node).second) continue;
      const auto ratio = compromise ? widening_ratio(node) : std::nullopt;
      if (ratio) {
        result.save_ratio = ratio;
      } else {
        follow(node, *rule, queue);
      }
    }
  }
  if (!queue.empty()) {
    return failed(std::move(result), entry, graph_.value(queue.front()).producer,
                  "50 or more nodes would have to be recomputed");
  }
  if (compromise && !result.save_ratio) {
    return failed(std::move(result), entry, entry, "its subgraph has no widening Cast");
  }
  return result;
}

void SubgraphSearch::follow(NodeId id, const RecomputeRule& rule,
                            std::deque<ValueId>& queue) const {
  const Node& node = graph_.node(id);
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    const ValueId input = node.inputs[i];
    const auto& ignored = rule.ignored_inputs;
    if (!input.valid() || std::find(ignored.begin(), ignored.end(), i) != ignored.end()) continue;
    if (!graph_.value(input).producer.valid() || is_small_constant_shape(input)) continue;
    queue.push_back(input);
  }
}

/// Whether the search assumes that a value is available in the backward pass.
bool SubgraphSearch::is_available(ValueId id) const {
  if (!rules_.ends_at_stashing_nodes) return input_.stash.read_in_backward[id];
  return std::ranges::any_of(graph_.topology().outputs[graph_.value(id).producer],
                             [&](ValueId output) { return input_.stash.is_stashed[output]; });
}

bool SubgraphSearch::is_small_constant_shape(ValueId id) const {
  const Value& value = graph_.value(id);
  const auto& shape = value.declared_shape ? value.declared_shape : value.type.shape;
  if (!shape) return false;
  std::int64_t elements = 1;
  for (const Expr& dim : *shape) {
    const auto number = dim.integer();
    if (!number || __builtin_mul_overflow(elements, *number, &elements)) return false;
  }
  return elements < small_constant_elements;
}

NodePlan SubgraphSearch::plan(NodeId entry, const SearchResult& result, PlanType type) const {
  const std::vector<std::size_t>& position = input_.stash.name_position;
  NodePlan plan;
  plan.type = type;
  plan.node = entry;
  plan.outputs = stashed_outputs(entry);
  plan.subgraph.assign(result.picked.begin(), result.picked.end());
  std::sort(plan.subgraph.begin(), plan.subgraph.end(),
            [&](NodeId a, NodeId b) { return position[a.index()] < position[b.index()]; });
  for (const NodeId id : plan.subgraph) plan.cluster += graph_.node(id).op_type + "+";
  if (result.save_ratio) plan.save_ratio = *result.save_ratio;
  for (const std::size_t output : plan.outputs) {
    const auto owner = reused_buffer(input_, graph_.node(entry).outputs[output]);
    if (!owner) continue;
    const bool is_recomputed = result.picked.contains(graph_.value(*owner).producer);
    const bool is_freed = is_recomputed && rules_.frees_recomputed_owners;
    plan.reused.emplace(output, ReusedBuffer{*owner, !is_freed});
  }
  return plan;
}

PlanCost cost_of_subgraph(const NodePlan& plan, const PlanCostInput& input) {
  PlanCost cost;
  for (const NodeId node : plan.subgraph) {
    cost.flops += input.node_flops[node];
    cost.seconds += input.node_seconds[node];
  }
  return cost;
}

void apply_subgraph(const NodePlan& plan, DataflowBuilder& builder) {
  for (const NodeId node : plan.subgraph) builder.clone(node);
  for (const std::size_t output : plan.outputs) builder.read_clone(plan.node, output);
}

}  // namespace stashscope
