#include "core/study/edits.h"

#include <algorithm>
#include <set>

namespace stashscope {

namespace {

class PlanEditor {
 public:
  /// @param wanted what is switched together: never off as a rival of each other
  PlanEditor(const Study& study, Choices choices, const RecomputeConfig& wanted)
      : study_(study), choices_(std::move(choices)), wanted_(wanted) {
    forget_planned(choices_);
    choices_.plans = without_operators(study.graph(), *study.opportunities, choices_.plans);
    if (choices_.level > 0) {
      of_level_ = config_of_all(*study.opportunities, choices_.level == 2);
    }
  }

  void set(const std::string& cluster, const ClusterChoice& choice) {
    switch_off_rivals(cluster, choice.type);
    const auto level = of_level_.find(cluster);
    if (level != of_level_.end() && level->second == choice) {
      choices_.plans.erase(cluster);
    } else {
      choices_.plans[cluster] = choice;
    }
  }

  void clear(const std::string& cluster, PlanType type) {
    if (of_level_.contains(cluster)) {
      choices_.plans[cluster] = {type, 0};
    } else {
      choices_.plans.erase(cluster);
    }
  }

  Choices take() { return std::move(choices_); }

 private:
  void switch_off_rivals(const std::string& cluster, PlanType type) {
    for (const auto& [rival, rival_type] : rivals_of(cluster, type)) {
      if (!wanted_.contains(rival) && is_on(rival, rival_type)) clear(rival, rival_type);
    }
  }

  std::set<std::pair<std::string, PlanType>> rivals_of(const std::string& cluster,
                                                       PlanType type) const {
    std::set<std::pair<std::string, PlanType>> rivals;
    const Opportunities& found = *study_.opportunities;
    const auto& own = in_reference(type) ? found.plans : found.extensions;
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

  /// In the choices as edited so far, which the study may not know yet.
  bool is_on(const std::string& cluster, PlanType type) const {
    const auto chosen = choices_.plans.find(cluster);
    if (chosen != choices_.plans.end()) {
      return chosen->second.type == type && chosen->second.count != 0;
    }
    const auto level = of_level_.find(cluster);
    return level != of_level_.end() && level->second.type == type;
  }

  const Study& study_;
  Choices choices_;
  const RecomputeConfig& wanted_;
  RecomputeConfig of_level_;
};

}  // namespace

Choices with_plan(const Study& study, Choices choices, const PlanRow& row, bool on) {
  return with_plan_count(study, std::move(choices), row, on ? row.frequency : 0);
}

Choices with_plan_count(const Study& study, Choices choices, const PlanRow& row, int count) {
  PlanEditor editor(study, std::move(choices), row.entries);
  for (const auto& [cluster, entry] : row.entries) {
    if (count <= 0) {
      editor.clear(cluster, entry.type);
    } else {
      editor.set(cluster, {entry.type, count >= row.frequency ? -1 : count});
    }
  }
  return editor.take();
}

Choices with_dimension(const Study& study, Choices choices, const Dimension& dimension,
                       std::int64_t value) {
  std::map<std::string, std::int64_t> dims;
  for (const auto& [pattern, given] : choices.dims) {
    if (!covers(pattern, dimension)) {
      dims[pattern] = given;
      continue;
    }
    for (const Dimension& other : study.sizes->dims.dimensions) {
      if (covers(pattern, other)) dims.try_emplace(other.name, given);
    }
  }
  dims[dimension.name] = value;
  choices.dims = std::move(dims);
  return choices;
}

int chosen_count(const Study& study, const PlanRow& row) {
  if (!row.on) return 0;
  int count = row.frequency;
  for (const auto& [cluster, entry] : row.entries) {
    const auto chosen = study.config.find(cluster);
    if (chosen == study.config.end()) return 0;
    if (chosen->second.count >= 0) count = std::min(count, chosen->second.count);
  }
  return count;
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
