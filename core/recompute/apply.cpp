#include "core/recompute/apply.h"

#include <algorithm>
#include <unordered_map>

namespace stashscope {

namespace {

/// Collects clones and rewirings, then builds the new structure in one pass.
class Rewriter {
  using Replacements = std::unordered_map<ValueId, ValueId>;

 public:
  Rewriter(const Graph& graph, const IdVector<NodeId, const Op*>& ops,
           const Opportunities& opportunities)
      : graph_(graph), ops_(ops), opportunities_(opportunities), result_(graph) {}

  void apply(const NodePlan& plan) {
    for (const NodeId node : plan.subgraph) {
      if (!clone_of_.contains(node)) add_clone(node);
    }
    const Node& entry = graph_.node(plan.node);
    for (const std::size_t output : plan.outputs) {
      const ValueId original = entry.outputs[output];
      replaced_[original] = twin_of_.at(original);
    }
  }

  Dataflow finish() {
    if (!clone_of_.empty()) build();
    return std::move(result_);
  }

 private:
  void add_clone(NodeId node) {
    clone_of_.emplace(node, NodeId(result_.graph_nodes + result_.cloned_nodes.size()));
    result_.cloned_nodes.push_back(node);
    clone_inputs_.start_row();
    for (const ValueId input : graph_.topology().inputs[node]) {
      clone_inputs_.push(replacement(input, twin_of_));
    }
    for (const ValueId output : graph_.topology().outputs[node]) {
      twin_of_[output] = ValueId(result_.graph_values + result_.cloned_values.size());
      result_.cloned_values.push_back(output);
    }
    const Op* const op = ops_[node];
    if (op != nullptr && op->random) result_.seeded_nodes.push_back(node);
  }

  static ValueId replacement(ValueId value, const Replacements& replacements) {
    const auto found = value.valid() ? replacements.find(value) : replacements.end();
    return found == replacements.end() ? value : found->second;
  }

  void build() {
    const Topology& old = graph_.topology();
    Topology topology;
    topology.inputs.reserve(old.nodes() + result_.cloned_nodes.size(), old.values());
    for (const NodeId node : IdRange<NodeId>(old.nodes())) {
      const bool rewire = !opportunities_.is_forward(node);
      topology.inputs.start_row();
      for (const ValueId input : old.inputs[node]) {
        topology.inputs.push(rewire ? replacement(input, replaced_) : input);
      }
      topology.outputs.start_row();
      for (const ValueId output : old.outputs[node]) topology.outputs.push(output);
    }
    for (std::size_t i = 0; i < result_.cloned_nodes.size(); ++i) {
      topology.inputs.start_row();
      for (const ValueId input : clone_inputs_[NodeId(i)]) {
        topology.inputs.push(replacement(input, replaced_));
      }
      topology.outputs.start_row();
      for (const ValueId output : old.outputs[result_.cloned_nodes[i]]) {
        topology.outputs.push(twin_of_.at(output));
      }
    }
    topology.connect(result_.graph_values + result_.cloned_values.size());
    result_.topology = std::move(topology);
  }

  const Graph& graph_;
  const IdVector<NodeId, const Op*>& ops_;
  const Opportunities& opportunities_;
  Dataflow result_;
  std::unordered_map<NodeId, NodeId> clone_of_;
  IdRows<NodeId, ValueId> clone_inputs_;  // by clone, as they were when it was made
  Replacements twin_of_;                  // every output of a cloned node
  Replacements replaced_;                 // stashed outputs whose plan was applied
};

}  // namespace

std::vector<const NodePlan*> select_plans(const Opportunities& opportunities,
                                          const RecomputeConfig& config) {
  std::vector<const NodePlan*> ordered;
  for (const NodePlan& plan : opportunities.plans) ordered.push_back(&plan);
  std::stable_sort(ordered.begin(), ordered.end(), [&](const NodePlan* a, const NodePlan* b) {
    return opportunities.position[a->node.index()] < opportunities.position[b->node.index()];
  });
  std::map<std::string, int> taken;
  std::vector<const NodePlan*> selected;
  for (const NodePlan* const plan : ordered) {
    const auto choice = config.find(plan->cluster);
    if (choice == config.end() || choice->second.type != plan->type) continue;
    const int limit = choice->second.count;
    if (limit >= 0 && taken[plan->cluster] >= limit) continue;
    // Two options of one node exclude each other; the one that execution order lists first wins.
    if (!selected.empty() && selected.back()->node == plan->node) continue;
    ++taken[plan->cluster];
    selected.push_back(plan);
  }
  return selected;
}

RecomputeConfig config_of_all(const Opportunities& opportunities, bool with_compromise) {
  RecomputeConfig config;
  for (const NodePlan& plan : opportunities.plans) {
    if (plan.type == PlanType::recompute) config[plan.cluster] = {PlanType::recompute, -1};
  }
  if (!with_compromise) return config;
  for (const NodePlan& plan : opportunities.plans) {
    config.try_emplace(plan.cluster, ClusterChoice{plan.type, -1});
  }
  return config;
}

Dataflow apply_plans(const Graph& graph, const IdVector<NodeId, const Op*>& ops,
                     const Opportunities& opportunities,
                     const std::vector<const NodePlan*>& plans) {
  Rewriter rewriter(graph, ops, opportunities);
  for (auto plan = plans.rbegin(); plan != plans.rend(); ++plan) rewriter.apply(**plan);
  return rewriter.finish();
}

}  // namespace stashscope
