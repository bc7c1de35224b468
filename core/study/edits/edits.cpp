#include "core/study/edits/edits.h"

#include <algorithm>
#include <optional>
#include <set>

#include "core/study/choices/effective_plans.h"
#include "core/study/choices/node_names.h"
#include "core/study/edits/dimension_edits.h"

namespace stashscope {

namespace {

/// The plans of the switched occurrences, by entry.
using PlanParts = std::map<std::pair<std::string, PlanType>, std::set<const NodePlan*>>;

class PlanEditor {
 public:
  PlanEditor(const Study& study, Choices choices) : study_(study), choices_(std::move(choices)) {
    forget_planned(choices_);
    choices_.plans.config =
        without_operators(study.graph(), *study.opportunities, choices_.plans.config);
    if (choices_.plans.level > 0) {
      of_level_ = config_of_all(*study.opportunities, choices_.plans.level == 2);
    }
  }

  void set_row(const PlanRow& row, int count) {
    wanted_ = &row.entries;
    for (const auto& [cluster, entry] : row.entries) {
      set_count(cluster, entry.type, count, row.frequency);
    }
  }

  /// Switches only the plans in `parts`; the other plans of the row stay as they are.
  void set_parts(const PlanRow& row, const PlanParts& parts, bool on) {
    wanted_ = &row.entries;
    for (const auto& [entry, switched] : parts) {
      std::set<const NodePlan*> wanted = carried_out(entry.first, entry.second);
      for (const NodePlan* const plan : switched) {
        if (on) {
          wanted.insert(plan);
        } else {
          wanted.erase(plan);
        }
      }
      set_plans(entry.first, entry.second, wanted);
    }
  }

  /// The edited choices; nothing if an edit has to pin a node without a unique name.
  std::optional<Choices> take() {
    return is_possible_ ? std::optional(std::move(choices_)) : std::nullopt;
  }

 private:
  void set(const std::string& cluster, const ClusterChoice& choice) {
    switch_off_rivals(cluster, choice.type);
    const auto level = of_level_.find(cluster);
    if (level != of_level_.end() && level->second == choice) {
      choices_.plans.config.erase(cluster);
    } else {
      choices_.plans.config[cluster] = choice;
    }
  }

  void clear(const std::string& cluster, PlanType type) {
    if (of_level_.contains(cluster)) {
      choices_.plans.config[cluster] = {type, 0};
    } else {
      choices_.plans.config.erase(cluster);
    }
  }

  /// The plans of an entry that are carried out under the choices as edited so far.
  std::set<const NodePlan*> carried_out(const std::string& cluster, PlanType type) const {
    const RecomputeConfig config =
        config_in_force(study_.graph(), choices_.plans, *study_.opportunities);
    std::set<const NodePlan*> found;
    for (const NodePlan* const plan : select_plans(*study_.opportunities, config, pinned())) {
      if (plan->type == type && plan->cluster == cluster) found.insert(plan);
    }
    return found;
  }

  /// Switches on exactly the `wanted` plans of an entry, unless another plan takes precedence.
  void set_plans(const std::string& cluster, PlanType type,
                 const std::set<const NodePlan*>& wanted) {
    const std::vector<const NodePlan*> all = plans_of(*study_.opportunities, cluster, type);
    int count = 0;  // number of plans up to the last wanted plan
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (wanted.contains(all[i])) count = static_cast<int>(i) + 1;
    }
    set_count(cluster, type, count, static_cast<int>(all.size()));
    for (int i = 0; i < count; ++i) {
      const NodePlan* const plan = all[static_cast<std::size_t>(i)];
      if (!wanted.contains(plan)) pin(plan->node);
    }
  }

  /// Switches on the first `count` plans of an entry and unpins their nodes.
  void set_count(const std::string& cluster, PlanType type, int count, int frequency) {
    const bool is_all = count >= frequency;
    if (count <= 0) {
      clear(cluster, type);
    } else {
      set(cluster, {type, is_all ? -1 : count});
    }
    const std::vector<const NodePlan*> plans = plans_of(*study_.opportunities, cluster, type);
    unpin(plans, is_all ? static_cast<int>(plans.size()) : count);
  }

  /// Unpins the nodes of an entry's first `wanted` plans, so that these plans are carried out. The
  /// node of a later plan is unpinned, too, unless another plan that is on would then apply to the
  /// node.
  void unpin(const std::vector<const NodePlan*>& plans, int wanted) {
    if (choices_.plans.pinned.empty()) return;
    std::set<NodeId> unpinned;
    for (std::size_t i = 0; i < plans.size(); ++i) {
      const NodeId node = plans[i]->node;
      if (static_cast<int>(i) < wanted || !has_others(node)) unpinned.insert(node);
    }
    forget_names(names(), unpinned, choices_.plans.pinned);
  }

  void pin(NodeId node) {
    const std::string& name = names().of(node);
    is_possible_ = is_possible_ && !name.empty();
    choices_.plans.pinned.insert(name);
  }

  /// The names are built on first use, because building them visits every node and few edits need
  /// names.
  const NodeNames& names() const {
    if (!names_) names_.emplace(study_.graph());
    return *names_;
  }

  PinnedNodes pinned() const {
    return choices_.plans.pinned.empty() ? PinnedNodes()
                                         : pinned_nodes(names(), choices_.plans.pinned);
  }

  /// Whether the node has plans that are on and are not being switched.
  bool has_others(NodeId node) {
    if (plans_at_.empty()) sort_plans();
    return std::ranges::any_of(plans_at_[node], [&](const NodePlan* plan) {
      const auto own = wanted_->find(plan->cluster);
      const bool is_own = own != wanted_->end() && own->second.type == plan->type;
      return !is_own && is_on(plan->cluster, plan->type);
    });
  }

  void sort_plans() {
    plans_at_ = IdVector<NodeId, std::vector<const NodePlan*>>(study_.graph().nodes().size());
    for (const auto* plans : {&study_.opportunities->plans, &study_.opportunities->extensions}) {
      for (const NodePlan& plan : *plans) plans_at_[plan.node].push_back(&plan);
    }
  }

  void switch_off_rivals(const std::string& cluster, PlanType type) {
    for (const auto& [rival, rival_type] : rivals_of(cluster, type)) {
      if (!wanted_->contains(rival) && is_on(rival, rival_type)) clear(rival, rival_type);
    }
  }

  std::set<std::pair<std::string, PlanType>> rivals_of(const std::string& cluster,
                                                       PlanType type) const {
    std::set<std::pair<std::string, PlanType>> rivals;
    const Opportunities& found = *study_.opportunities;
    const auto& own = is_searched(type) ? found.plans : found.extensions;
    for (const NodePlan& plan : own) {
      if (plan.cluster != cluster || plan.type != type) continue;
      for (const auto* plans : {&found.plans, &found.extensions}) {
        for (const NodePlan& other : *plans) {
          const bool is_same = other.cluster == cluster && other.type == type;
          if (!is_same && exclude_each_other(plan, other))
            rivals.emplace(other.cluster, other.type);
        }
      }
    }
    return rivals;
  }

  /// Whether an entry is on in the choices as edited so far. The study does not know these edits
  /// yet.
  bool is_on(const std::string& cluster, PlanType type) const {
    const auto chosen = choices_.plans.config.find(cluster);
    if (chosen != choices_.plans.config.end()) {
      return chosen->second.type == type && chosen->second.count != 0;
    }
    const auto level = of_level_.find(cluster);
    return level != of_level_.end() && level->second.type == type;
  }

  const Study& study_;
  mutable std::optional<NodeNames> names_;                   ///< built on first use
  IdVector<NodeId, std::vector<const NodePlan*>> plans_at_;  ///< built on first use
  Choices choices_;
  /// Entries that are switched together and so never switch each other off.
  const RecomputeConfig* wanted_ = nullptr;
  RecomputeConfig of_level_;
  bool is_possible_ = true;
};

PlanParts parts_at(const PlanRow& row, const std::set<NodeId>& nodes) {
  PlanParts parts;
  for (const Occurrence& each : *row.occurrences) {
    if (!nodes.contains(each.parts.front()->node)) continue;
    for (const NodePlan* const part : each.parts) parts[{part->cluster, part->type}].insert(part);
  }
  return parts;
}

}  // namespace

Choices with_plan(const Study& study, Choices choices, const PlanRow& row, bool on) {
  return with_plans(study, std::move(choices), {{{&row, std::nullopt}}}, on);
}

Choices with_plan_count(const Study& study, Choices choices, const PlanRow& row, int count) {
  PlanEditor editor(study, choices);
  editor.set_row(row, count);
  return editor.take().value_or(std::move(choices));
}

Choices with_plans(const Study& study, Choices choices, std::span<const PlanSwitch> switches,
                   bool on) {
  std::optional<PlanEditor> editor;
  const auto edit = [&]() -> PlanEditor& {
    return editor ? *editor : editor.emplace(study, choices);
  };
  for (const auto& [row, nodes] : switches) {
    if (!nodes) {
      edit().set_row(*row, on ? row->frequency : 0);
      continue;
    }
    const PlanParts parts = parts_at(*row, *nodes);
    if (!parts.empty()) edit().set_parts(*row, parts, on);
  }
  return editor ? editor->take().value_or(std::move(choices)) : choices;
}

Choices with_occurrences(const Study& study, Choices choices, const PlanRow& row,
                         const std::set<NodeId>& nodes, bool on) {
  return with_plans(study, std::move(choices), {{{&row, nodes}}}, on);
}

Choices with_occurrence(const Study& study, Choices choices, const PlanRow& row, NodeId node,
                        bool on) {
  return with_occurrences(study, std::move(choices), row, {node}, on);
}

Choices with_pinned(const Study& study, Choices choices, std::span<const NodeId> nodes, bool on) {
  if (!on && choices.plans.pinned.empty()) return choices;
  const NodeNames names(study.graph());
  std::set<NodeId> originals;
  for (const NodeId node : nodes) originals.insert(study.current->dataflow.origin(node));
  if (!on) {
    forget_names(names, originals, choices.plans.pinned);
    return choices;
  }
  const auto is_nameless = [&](NodeId node) { return names.of(node).empty(); };
  if (std::ranges::any_of(originals, is_nameless)) return choices;
  for (const NodeId node : originals) choices.plans.pinned.insert(names.of(node));
  return choices;
}

Choices with_dimension(const Study& study, Choices choices, const Dimension& dimension,
                       std::int64_t value) {
  choices.dims = without_size_of(study, choices.dims, dimension);
  choices.dims[dimension.name] = value;
  return choices;
}

std::vector<NodeId> nodes_with_plans(const Study& study) {
  std::vector<NodeId> nodes;
  for (const auto* plans : {&study.opportunities->plans, &study.opportunities->extensions}) {
    for (const NodePlan& plan : *plans) nodes.push_back(plan.node);
  }
  return nodes;
}

std::vector<NodeId> nodes_of_plan(const Study& study, const PlanRow& row) {
  std::vector<NodeId> nodes;
  for (const auto* plans : {&study.opportunities->plans, &study.opportunities->extensions}) {
    for (const NodePlan& plan : *plans) {
      const auto entry = row.entries.find(plan.cluster);
      if (entry == row.entries.end() || entry->second.type != plan.type) continue;
      nodes.insert(nodes.end(), plan.subgraph.begin(), plan.subgraph.end());
      nodes.push_back(plan.node);
    }
  }
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  return nodes;
}

}  // namespace stashscope
