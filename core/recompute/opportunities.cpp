#include "core/recompute/opportunities.h"

#include <algorithm>
#include <deque>
#include <set>

#include "core/recompute/buffer_reuse.h"
#include "core/recompute/layer_boundary.h"
#include "core/schedule/orders.h"

namespace stashscope {

namespace {

/// The reference's bound on the nodes of a subgraph; checked before each level of the search.
constexpr std::size_t max_subgraph_nodes = 50;
/// A producer of a constant-shape output with fewer elements than this is not followed.
constexpr std::int64_t small_constant_elements = 1 << 20;

/// What a search upwards ended with.
struct SearchResult {
  std::set<NodeId> picked;
  std::optional<Rational> save_ratio;  ///< set when a widening Cast was kept as the source
  Obstacle obstacle;                   ///< of a failed search
  bool failed = false;
};

class OpportunityFinder {
 public:
  OpportunityFinder(const Graph& graph, const IdVector<NodeId, const Op*>& ops,
                    const Boundary& boundary, const Probe& probe)
      : graph_(graph), ops_(ops), boundary_(boundary), probe_(probe) {}

  Opportunities find() {
    found_.order = reference_order({graph_, Dataflow(graph_), boundary_});
    found_.position.resize(found_.order.size());
    for (std::size_t i = 0; i < found_.order.size(); ++i) {
      found_.position[found_.order[i].index()] = i;
    }
    if (!boundary_.known()) return std::move(found_);
    found_.forward_nodes = count_forward();
    find_stashed();
    if (probe_.layer_boundary)
      kept_ = layer_boundary_inputs(graph_, found_.position, found_.forward_nodes);
    for (std::size_t i = found_.forward_nodes; i-- > 0;) search_from(found_.order[i]);
    return std::move(found_);
  }

 private:
  /// Up to the YieldOp. One that is not there would run behind every Shape and Size that is ready
  /// before it.
  std::size_t count_forward() const {
    std::size_t count = 0;
    for (const NodeId end : forward_ends(graph_, boundary_)) {
      count = std::max(count, found_.position[end.index()] + 1);
    }
    if (boundary_.yield.valid()) return count;
    while (count < found_.order.size() && runs_first(graph_.node(found_.order[count]))) ++count;
    return count;
  }

  bool is_handed_over(ValueId value) const {
    const auto& outputs = boundary_.outputs;
    return std::find(outputs.begin(), outputs.end(), value) != outputs.end();
  }

  /// Readers on each side of the boundary, for every value of a forward node.
  void find_stashed() {
    is_stashed_ = IdVector<ValueId, bool>(graph_.values().size(), false);
    read_in_backward_ = IdVector<ValueId, bool>(graph_.values().size(), false);
    for (std::size_t i = 0; i < found_.forward_nodes; ++i) {
      for (const ValueId output : graph_.topology().outputs[found_.order[i]]) {
        bool forward = is_handed_over(output);
        for (const NodeId reader : graph_.topology().readers[output]) {
          if (found_.is_forward(reader)) {
            forward = true;
          } else {
            read_in_backward_[output] = true;
          }
        }
        if (!forward || !read_in_backward_[output] || found_.order[i] == boundary_.yield) continue;
        is_stashed_[output] = true;
        found_.stashed.push_back(output);
      }
    }
  }

  std::vector<std::size_t> stashed_outputs(const Node& node) const {
    std::vector<std::size_t> positions;
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      if (node.outputs[i].valid() && is_stashed_[node.outputs[i]]) positions.push_back(i);
    }
    return positions;
  }

  /// The table row of a node; null when it is not recomputable at this probe level.
  const RecomputeRule* recompute_rule(NodeId id) const {
    const Op* const op = ops_[id];
    if (op == nullptr || op->recompute == RecomputeLevel::never) return nullptr;
    if (op->recompute == RecomputeLevel::advanced && probe_.level < 1) return nullptr;
    const std::int64_t version = since_version(*op, graph_.opset(graph_.node(id).domain));
    for (const RecomputeRule& rule : op->recompute_rules) {
      if (std::find(rule.versions.begin(), rule.versions.end(), version) != rule.versions.end()) {
        return &rule;
      }
    }
    return nullptr;
  }

  void search_from(NodeId entry) {
    const Node& node = graph_.node(entry);
    const std::vector<std::size_t> outputs = stashed_outputs(node);
    if (outputs.empty()) return;
    const auto refuse = [&](NodeId stopped_at, std::string rule) {
      found_.obstacles.push_back({entry, stopped_at, std::move(rule)});
    };
    for (const std::size_t output : outputs) {
      if (kept_.contains(node.outputs[output])) return refuse(entry, "starts a transformer layer");
    }
    if (recompute_rule(entry) == nullptr) return refuse(entry, "its operator is not recomputable");
    const SearchResult full = search(entry, outputs, false);
    if (!full.failed) add_plan(entry, outputs, full, PlanType::recompute);
    const bool widens = std::any_of(full.picked.begin(), full.picked.end(),
                                    [&](NodeId id) { return widening_ratio(id).has_value(); });
    if (widens) {
      const SearchResult compromise = search(entry, outputs, true);
      if (!compromise.failed) add_plan(entry, outputs, compromise, PlanType::compromise);
      if (compromise.failed && full.failed) found_.obstacles.push_back(full.obstacle);
    } else if (full.failed) {
      found_.obstacles.push_back(full.obstacle);
    }
  }

  /// 1 - input bytes / output bytes of a Cast to a wider type; nothing for other nodes.
  std::optional<Rational> widening_ratio(NodeId id) const {
    const Node& node = graph_.node(id);
    if (node.op_type != "Cast" || !node.domain.empty()) return std::nullopt;
    if (node.inputs.empty() || !node.inputs[0].valid()) return std::nullopt;
    const int in = bits_per_element(graph_.value(node.inputs[0]).type.element);
    const int out = bits_per_element(graph_.value(node.outputs[0]).type.element);
    if (in == 0 || in >= out) return std::nullopt;
    return Rational(1) - Rational::ratio(in, out);
  }

  /// Breadth-first search upwards over (node, output) pairs. Outputs that backward reads anyway end
  /// it; a node that is not recomputable makes it fail.
  SearchResult search(NodeId entry, const std::vector<std::size_t>& outputs,
                      bool compromise) const {
    SearchResult result;
    std::set<ValueId> handled;
    std::deque<ValueId> queue;
    for (const std::size_t output : outputs) queue.push_back(graph_.node(entry).outputs[output]);
    while (!queue.empty() && result.picked.size() < max_subgraph_nodes) {
      for (std::size_t level = queue.size(); level > 0; --level) {
        const ValueId value = queue.front();
        queue.pop_front();
        const NodeId node = graph_.value(value).producer;
        if (!handled.insert(value).second) continue;
        if (node != entry && read_in_backward_[value]) continue;
        const RecomputeRule* const rule = recompute_rule(node);
        if (rule == nullptr) {
          return failed(std::move(result), entry, node, "its operator is not recomputable");
        }
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
                    "more than 50 nodes would have to be recomputed");
    }
    if (compromise && !result.save_ratio) {
      return failed(std::move(result), entry, entry, "no widening Cast");
    }
    return result;
  }

  /// What was picked so far stays: it tells whether a compromise is worth a search of its own.
  static SearchResult failed(SearchResult result, NodeId entry, NodeId at, std::string rule) {
    result.failed = true;
    result.obstacle = {entry, at, std::move(rule)};
    return result;
  }

  void follow(NodeId id, const RecomputeRule& rule, std::deque<ValueId>& queue) const {
    const Node& node = graph_.node(id);
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const ValueId input = node.inputs[i];
      const auto& ignored = rule.ignored_inputs;
      if (!input.valid() || std::find(ignored.begin(), ignored.end(), i) != ignored.end()) continue;
      if (!graph_.value(input).producer.valid() || is_small_constant_shape(input)) continue;
      queue.push_back(input);
    }
  }

  bool is_small_constant_shape(ValueId id) const {
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

  void add_plan(NodeId entry, const std::vector<std::size_t>& outputs, const SearchResult& result,
                PlanType type) {
    NodePlan plan;
    plan.type = type;
    plan.node = entry;
    plan.outputs = outputs;
    plan.subgraph.assign(result.picked.begin(), result.picked.end());
    std::sort(plan.subgraph.begin(), plan.subgraph.end(), [&](NodeId a, NodeId b) {
      return found_.position[a.index()] < found_.position[b.index()];
    });
    for (const NodeId id : plan.subgraph) plan.cluster += graph_.node(id).op_type + "+";
    if (result.save_ratio) plan.save_ratio = *result.save_ratio;
    for (const std::size_t output : outputs) {
      const auto owner =
          reused_buffer(graph_, boundary_, found_, graph_.node(entry).outputs[output]);
      if (owner) plan.reused.emplace(output, *owner);
    }
    found_.plans.push_back(std::move(plan));
  }

  const Graph& graph_;
  const IdVector<NodeId, const Op*>& ops_;
  const Boundary& boundary_;
  Probe probe_;
  Opportunities found_;
  IdVector<ValueId, bool> is_stashed_;
  IdVector<ValueId, bool> read_in_backward_;
  std::set<ValueId> kept_;
};

}  // namespace

Opportunities find_opportunities(const Graph& graph, const IdVector<NodeId, const Op*>& ops,
                                 const Boundary& boundary, const Probe& probe) {
  return OpportunityFinder(graph, ops, boundary, probe).find();
}

}  // namespace stashscope
