#include "core/recompute/regions.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "core/base/text.h"
#include "core/graph/node_path.h"
#include "core/recompute/keep_rules.h"
#include "core/recompute/region_finder.h"
#include "core/recompute/search.h"
#include "core/recompute/second_run.h"

namespace stashscope {

namespace {

constexpr std::string_view keep_start = "[keep ";
constexpr std::string_view out_end = "[out]";

/// The suffix of the cluster names of the region's plans.
std::string_view end_of_name(const Region& region) { return region.frees_outputs ? out_end : ""; }

std::int64_t freed_bytes(const CapturedStep& step, const Region& region) {
  const auto sum = [&](const std::vector<ValueId>& values) {
    std::int64_t bytes = 0;
    for (const ValueId value : values)
      bytes += step.storages[step.storage_of[value]].bytes_as_captured;
    return bytes;
  };
  return sum(region.freed) - sum(region.held);
}

/// @param entry a freed value, the same for all plans of a module; its producer becomes the plan's
/// `node`
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

/// Makes the plans of regions. Each region gets a plan that keeps no outputs inside, then plans
/// that keep some outputs by a rule. All regions of a cluster share their rules, but a region gets
/// no plan for a rule that does not fit the region.
class PlanMaker {
 public:
  PlanMaker(const Graph& graph, const std::vector<Region>& regions)
      : graph_(graph),
        step_(*graph.data().captured),
        finder_(graph),
        pruner_(graph),
        regions_(regions) {
    for (const Region& region : regions) {
      options_.push_back(finder_.options(region));
      add_rules(region, options_.back());
    }
  }

  /// Adds the plans for a name that only a config contains, such as `h.3` or `h.*[keep mm 0]`.
  void add_asked(const std::string& name, std::vector<NodePlan>& plans) const {
    const bool frees_outputs = name.ends_with(out_end);
    const std::string start = name.substr(0, name.size() - (frees_outputs ? out_end.size() : 0));
    const std::string modules = start.substr(0, start.find(keep_start));
    const auto rule = rule_in(start);
    if (!rule) return;
    for (std::size_t i = 0; i < regions_.size(); ++i) {
      const Region& region = regions_[i];
      if (region.frees_outputs != frees_outputs) continue;
      if (region.module != modules && block_pattern(region.module) != modules) continue;
      Region keeping = finder_.keeping(region, options_[i], *rule);
      if (keeping.freed.empty()) continue;
      plans.push_back(plan_of(graph_, pruner_.pruned(std::move(keeping)), name, entry_of(region)));
    }
  }

  std::vector<NodePlan> plans() const {
    std::vector<NodePlan> plans;
    for (std::size_t i = 0; i < regions_.size(); ++i) {
      const Region& region = regions_[i];
      const std::string cluster = block_pattern(region.module);
      const std::string end(end_of_name(region));
      const ValueId entry = entry_of(region);
      plans.push_back(plan_of(graph_, pruner_.pruned(region), cluster + end, entry));
      std::vector<std::vector<KeptOperator>> known;
      for (const KeepRule& rule : rules_.at(cluster + end)) {
        Region keeping = finder_.keeping(region, options_[i], rule);
        const bool is_known = std::ranges::find(known, keeping.kept) != known.end();
        if (is_known || keeping.freed.empty() || freed_bytes(step_, keeping) <= 0) continue;
        known.push_back(keeping.kept);
        const std::string name =
            join({cluster, std::string(keep_start), to_string(rule), "]", end}, "");
        plans.push_back(plan_of(graph_, pruner_.pruned(std::move(keeping)), name, entry));
      }
    }
    return plans;
  }

 private:
  static constexpr std::size_t most_of_a_cluster = 14;
  /// The keep rule in a name. Empty if the name has no rule; nothing if the rule cannot be parsed.
  static std::optional<KeepRule> rule_in(const std::string& name) {
    const std::size_t bracket = name.find(keep_start);
    if (bracket == std::string::npos) return KeepRule();
    if (!name.ends_with(']')) return std::nullopt;
    const std::size_t from = bracket + keep_start.size();
    return parse_keep_rule(name.substr(from, name.size() - from - 1));
  }

  /// The largest value that the region's module frees, the same for all plans of the module. Its
  /// producer becomes the `node` of the plans.
  ValueId entry_of(const Region& region) const {
    const auto first = std::ranges::find(regions_, region.module, &Region::module);
    return largest_freed(step_, *first);
  }

  void add_rules(const Region& region, const std::vector<KeepOption>& options) {
    const std::string cluster = block_pattern(region.module) + std::string(end_of_name(region));
    std::vector<KeepRule>& rules = rules_[cluster];
    std::string signature = cluster;
    for (const KeepOption& option : options) {
      signature += " " + option.kept.name + ":" + std::to_string(option.bytes);
    }
    if (!signatures_.insert(signature).second) return;
    const std::vector<SparedWork> measures = finder_.measures(region, options);
    for (KeepRule& rule : keep_rules(options, freed_bytes(step_, region), measures)) {
      const bool is_known = std::ranges::find(rules, rule) != rules.end();
      if (!is_known && rules.size() < most_of_a_cluster) rules.push_back(std::move(rule));
    }
  }

  const Graph& graph_;
  const CapturedStep& step_;
  KeepFinder finder_;
  RunPruner pruner_;
  const std::vector<Region>& regions_;
  std::vector<std::vector<KeepOption>> options_;  ///< by position in `regions_`
  std::map<std::string, std::vector<KeepRule>> rules_;
  std::set<std::string> signatures_;
};

}  // namespace

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
  const std::vector<Region> regions = regions_of(input.graph);
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
