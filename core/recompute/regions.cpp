#include "core/recompute/regions.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "core/base/text.h"
#include "core/graph/node_path.h"
#include "core/recompute/keep_rules.h"
#include "core/recompute/search.h"

namespace stashscope {

namespace {

/// The name with `*` for each part that is a number: `h.*.attn` for `h.3.attn`.
std::string cluster_of(const std::string& module) {
  std::vector<std::string> parts = split(module, '.');
  for (std::string& part : parts) {
    const bool is_number =
        !part.empty() && std::ranges::all_of(part, [](unsigned char c) { return std::isdigit(c); });
    if (is_number) part = "*";
  }
  return join(parts, ".");
}

class RegionFinder {
 public:
  explicit RegionFinder(const Graph& graph)
      : graph_(graph), step_(*graph.data().captured), rows_of_(step_.storages.size()) {
    for (std::size_t row = 0; row < step_.saved.size(); ++row) {
      rows_of_[step_.saved[row].storage].push_back(row);
    }
    for (const NodeId id : IdRange<NodeId>(graph.nodes().size())) {
      if (step_.phases[id] == CapturedPhase::recompute) {
        recomputed_.insert(join(path_of(graph.node(id)).scope, "."));
      }
    }
    made_from_.resize(graph.nodes().size());
    for (const StorageId id : IdRange<StorageId>(step_.storages.size())) {
      const ValueId root = step_.storages[id].root;
      const NodeId maker = root.valid() ? graph.value(root).producer : NodeId();
      if (maker.valid()) made_from_[maker.index()].push_back(id);
    }
  }

  std::vector<Region> find() const {
    std::vector<Region> regions;
    std::map<std::string, std::size_t> places;
    for (const ModuleCall& call : step_.calls) {
      const auto [place, is_new] = places.try_emplace(call.module, regions.size());
      if (is_new) regions.push_back({call.module, {}, {}});
      regions[place->second].calls.push_back(region_call(call));
      add_freed(call, regions[place->second]);
    }
    std::erase_if(regions, [&](const Region& each) { return !is_usable(each); });
    return regions;
  }

 private:
  /// Positions in `saved` of what a checkpoint of the call does not save.
  std::vector<std::size_t> saved_in(const ModuleCall& call) const {
    const auto from = std::ranges::lower_bound(step_.saved, call.first, {}, &SavedTensor::node);
    std::vector<std::size_t> found;
    for (auto row = from; row != step_.saved.end() && call.has(row->node); ++row) {
      if (!row->is_number) found.push_back(static_cast<std::size_t>(row - step_.saved.begin()));
    }
    return found;
  }

  RegionCall region_call(const ModuleCall& call) const {
    const std::size_t end = call.first.index() + call.nodes;
    RegionCall region{call.first, end, {}, {}, NodeId(end - 1), call.arguments, saved_in(call)};
    if (region.saved.empty()) return region;
    region.released = NodeId(0);
    for (const std::size_t row : region.saved) {
      const SavedTensor& saved = step_.saved[row];
      if (saved.unpacked.valid()) region.trigger = std::min(region.trigger, saved.unpacked);
      region.released = std::max(region.released, saved.released);
    }
    if (region.trigger.valid()) region.again = nodes_again(call, step_.saved[region.saved.back()]);
    return region;
  }

  /// The nodes up to the last saved tensor. A tensor that the node reads is saved before it runs.
  std::vector<NodeId> nodes_again(const ModuleCall& call, const SavedTensor& last) const {
    const std::size_t stop = last.node.index() + (last.is_result ? 1 : 0);
    std::vector<NodeId> again;
    for (std::size_t i = call.first.index(); i < stop; ++i) {
      for (const ValueId input : graph_.node(NodeId(i)).inputs) {
        const NodeId maker = graph_.value(input).producer;
        if (is_cached_cast(call, maker) && std::ranges::find(again, maker) == again.end()) {
          again.push_back(maker);
        }
      }
      again.push_back(NodeId(i));
    }
    return again;
  }

  /// Whether the node, from before the call, casts a parameter. Autocast keeps such a cast for
  /// later calls, but not until the backward pass.
  bool is_cached_cast(const ModuleCall& call, NodeId node) const {
    if (!node.valid() || call.has(node) || graph_.node(node).op_type != "_to_copy") return false;
    const Node& cast = graph_.node(node);
    const bool is_argument = std::ranges::any_of(cast.outputs, [&](ValueId output) {
      return std::ranges::count(call.arguments, step_.storage_of[output]) > 0;
    });
    return !is_argument && !cast.inputs.empty() &&
           step_.role_of(cast.inputs[0]) == CapturedRole::parameter;
  }

  /// Adds the storages that the call makes and that live in between only for the backward pass.
  void add_freed(const ModuleCall& call, Region& region) const {
    const RegionCall& added = region.calls.back();
    if (!added.trigger.valid()) return;
    for (std::size_t node = added.first.index(); node < added.end; ++node) {
      for (const StorageId id : made_from_[node]) {
        const CapturedStorage& storage = step_.storages[id];
        const bool is_alive = storage.last.valid() && storage.last >= added.trigger;
        if (is_alive && lives_without(call, id) < added.trigger) {
          region.freed.push_back(storage.root);
        }
      }
    }
  }

  /// The last node during which the storage lives if the call saves nothing.
  NodeId lives_without(const ModuleCall& call, StorageId id) const {
    NodeId last = step_.storages[id].python_last;
    for (const std::size_t row : rows_of_[id]) {
      const SavedTensor& saved = step_.saved[row];
      if (saved.is_number || !call.has(saved.node)) last = std::max(last, saved.released);
    }
    return last;
  }

  bool is_usable(const Region& region) const {
    return !region.module.empty() && !region.freed.empty() && !has_checkpoint(region.module) &&
           std::ranges::all_of(region.calls,
                               [&](const RegionCall& call) { return can_run_again(call); });
  }

  bool can_run_again(const RegionCall& call) const {
    // No capture has it otherwise, but a damaged file may.
    const bool is_after = !call.trigger.valid() || call.trigger.index() >= call.end;
    return is_after && makes_something(call) && !changes_others(call);
  }

  bool makes_something(const RegionCall& call) const {
    for (std::size_t i = call.first.index(); i < call.end; ++i) {
      if (!graph_.node(NodeId(i)).outputs.empty()) return true;
    }
    return false;
  }

  /// Whether the step as captured already runs a part of the module again.
  bool has_checkpoint(const std::string& module) const {
    const auto inside = recomputed_.lower_bound(module + ".");
    return recomputed_.contains(module) ||
           (inside != recomputed_.end() && inside->starts_with(module + "."));
  }

  /// Whether a node of the call changes a tensor in place that is neither its own nor a buffer.
  bool changes_others(const RegionCall& call) const {
    for (std::size_t i = call.first.index(); i < call.end; ++i) {
      const Node& node = graph_.node(NodeId(i));
      if (!node.op_type.ends_with('_') || node.outputs.empty()) continue;
      const CapturedStorage& changed = step_.storages[step_.storage_of[node.outputs[0]]];
      if (changed.role == CapturedRole::buffer) continue;
      const NodeId maker = graph_.value(changed.root).producer;
      if (!maker.valid() || maker < call.first) return true;
    }
    return false;
  }

  const Graph& graph_;
  const CapturedStep& step_;
  IdVector<StorageId, std::vector<std::size_t>> rows_of_;
  std::set<std::string> recomputed_;               ///< paths of modules that already run again
  std::vector<std::vector<StorageId>> made_from_;  ///< by node: the storages that it allocates
};

std::int64_t freed_bytes(const CapturedStep& step, const Region& region) {
  const auto sum = [&](const std::vector<ValueId>& values) {
    std::int64_t bytes = 0;
    for (const ValueId value : values)
      bytes += step.storages[step.storage_of[value]].bytes_as_captured;
    return bytes;
  };
  return sum(region.freed) - sum(region.held);
}

/// @param entry the node that stands for the plan in tables, the same for all plans of a module
NodePlan plan_of(const Graph& graph, Region found, const std::string& cluster, ValueId entry) {
  NodePlan plan;
  plan.type = PlanType::region;
  plan.node = graph.value(entry).producer;
  const auto& outputs = graph.node(plan.node).outputs;
  plan.outputs = {static_cast<std::size_t>(std::ranges::find(outputs, entry) - outputs.begin())};
  for (const RegionCall& call : found.calls) {
    plan.subgraph.insert(plan.subgraph.end(), call.again.begin(), call.again.end());
  }
  plan.cluster = cluster;
  plan.region = std::make_shared<const Region>(std::move(found));
  return plan;
}

ValueId largest_freed(const CapturedStep& step, const Region& region) {
  return *std::ranges::max_element(region.freed, {}, [&](ValueId value) {
    return step.storages[step.storage_of[value]].bytes_as_captured;
  });
}

/// Makes the plans of regions: for each the one that keeps nothing inside, then those that keep
/// outputs. Modules of one cluster have the same rules where these fit.
class PlanMaker {
 public:
  PlanMaker(const Graph& graph, const std::vector<Region>& regions)
      : graph_(graph), step_(*graph.data().captured), finder_(graph), regions_(regions) {
    for (const Region& region : regions) {
      options_.push_back(finder_.options(region));
      add_rules(region, options_.back());
    }
  }

  /// Adds the plans of a region that only a config names, `h.3` or `h.*[keep mm 0]`.
  void add_asked(const std::string& name, std::vector<NodePlan>& plans) const {
    const std::size_t bracket = name.find(keep_start);
    const std::string modules = name.substr(0, bracket);
    const auto rule = rule_in(name);
    if (!rule) return;
    for (std::size_t i = 0; i < regions_.size(); ++i) {
      const Region& region = regions_[i];
      if (region.module != modules && cluster_of(region.module) != modules) continue;
      Region keeping = finder_.keeping(region, options_[i], *rule);
      if (keeping.freed.empty()) continue;
      plans.push_back(plan_of(graph_, std::move(keeping), name, largest_freed(step_, region)));
    }
  }

  std::vector<NodePlan> plans() const {
    std::vector<NodePlan> plans;
    for (std::size_t i = 0; i < regions_.size(); ++i) {
      const Region& region = regions_[i];
      const std::string cluster = cluster_of(region.module);
      const ValueId entry = largest_freed(step_, region);
      plans.push_back(plan_of(graph_, region, cluster, entry));
      std::vector<std::vector<KeptOperator>> known;
      for (const KeepRule& rule : rules_.at(cluster)) {
        Region keeping = finder_.keeping(region, options_[i], rule);
        const bool is_known = std::ranges::find(known, keeping.kept) != known.end();
        if (is_known || keeping.freed.empty() || freed_bytes(step_, keeping) <= 0) continue;
        known.push_back(keeping.kept);
        plans.push_back(plan_of(graph_, std::move(keeping),
                                cluster + std::string(keep_start) + to_string(rule) + "]", entry));
      }
    }
    return plans;
  }

 private:
  static constexpr std::size_t most_of_a_cluster = 10;
  static constexpr std::string_view keep_start = "[keep ";

  /// The rule in a name, empty if it has none; nothing if it cannot be read.
  static std::optional<KeepRule> rule_in(const std::string& name) {
    const std::size_t bracket = name.find(keep_start);
    if (bracket == std::string::npos) return KeepRule();
    if (!name.ends_with(']')) return std::nullopt;
    const std::size_t from = bracket + keep_start.size();
    return parse_keep_rule(name.substr(from, name.size() - from - 1));
  }

  void add_rules(const Region& region, const std::vector<KeepOption>& options) {
    const std::string cluster = cluster_of(region.module);
    std::vector<KeepRule>& rules = rules_[cluster];
    std::string signature = cluster;
    for (const KeepOption& option : options) {
      signature += " " + option.kept.name + ":" + std::to_string(option.bytes);
    }
    if (!signatures_.insert(signature).second) return;
    for (KeepRule& rule : keep_rules(options, freed_bytes(step_, region))) {
      const bool is_known = std::ranges::find(rules, rule) != rules.end();
      if (!is_known && rules.size() < most_of_a_cluster) rules.push_back(std::move(rule));
    }
  }

  const Graph& graph_;
  const CapturedStep& step_;
  KeepFinder finder_;
  const std::vector<Region>& regions_;
  std::vector<std::vector<KeepOption>> options_;  ///< by region
  std::map<std::string, std::vector<KeepRule>> rules_;
  std::set<std::string> signatures_;
};

}  // namespace

bool overlap(const Region& a, const Region& b) {
  return std::ranges::any_of(a.calls, [&](const RegionCall& one) {
    return std::ranges::any_of(b.calls, [&](const RegionCall& other) {
      return one.first.index() < other.end && other.first.index() < one.end;
    });
  });
}

std::vector<ValueId> freed_values(const Graph& graph, const NodePlan& plan) {
  if (plan.region) return plan.region->freed;
  std::vector<ValueId> freed;
  for (const std::size_t output : plan.outputs) {
    if (!plan.needs_owner(output)) freed.push_back(graph.node(plan.node).outputs[output]);
  }
  return freed;
}

Findings find_regions(const StrategyInput& input) {
  Findings findings;
  if (!input.graph.data().captured) return findings;
  const std::vector<Region> regions = RegionFinder(input.graph).find();
  const PlanMaker maker(input.graph, regions);
  findings.plans = maker.plans();
  std::set<std::string> known;
  for (const NodePlan& plan : findings.plans) known.insert(plan.cluster);
  for (const std::string& name : input.asked) {
    if (known.contains(name)) continue;
    findings.only_asked.insert(name);
    maker.add_asked(name, findings.plans);
  }
  return findings;
}

const Strategy region_strategy = {PlanType::region,
                                  "region",
                                  "runs a module again in the backward pass, as PyTorch's "
                                  "checkpoint does",
                                  false,
                                  find_regions,
                                  nullptr,
                                  cost_of_subgraph};

}  // namespace stashscope
