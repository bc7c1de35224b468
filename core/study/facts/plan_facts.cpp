#include "core/study/facts/plan_facts.h"

#include <algorithm>
#include <compare>
#include <map>
#include <numeric>
#include <unordered_set>

#include "core/base/text.h"
#include "core/graph/node_path.h"
#include "core/recompute/regions.h"

namespace stashscope {

namespace {

/// Disjoint sets of rows (union-find with path halving).
class RowSets {
 public:
  explicit RowSets(std::size_t rows) : parent_(rows) {
    std::iota(parent_.begin(), parent_.end(), 0);
  }

  std::size_t find(std::size_t row) {
    while (parent_[row] != row) row = parent_[row] = parent_[parent_[row]];
    return row;
  }
  void join(std::size_t a, std::size_t b) {
    const auto [first, second] = std::minmax({find(a), find(b)});
    parent_[second] = first;
  }

 private:
  std::vector<std::size_t> parent_;
};

/// Joins rows that share a cluster with different types, because a config string has one type per
/// cluster.
void join_by_cluster(const Study& study, RowSets& sets) {
  std::map<std::string_view, std::vector<std::pair<std::size_t, PlanType>>> uses;
  for (std::size_t row = 0; row < plan_rows(study); ++row) {
    for (const auto& [cluster, choice] : plan_row(study, row).entries) {
      auto& before = uses[cluster];
      for (const auto& [other, type] : before) {
        if (type != choice.type) sets.join(other, row);
      }
      before.emplace_back(row, choice.type);
    }
  }
}

/// Joins rows of one table whose plans for the same node conflict. The table has the rows from
/// `first` to `last` - 1.
void join_by_output(const Study& study, std::size_t first, std::size_t last, RowSets& sets) {
  IdVector<NodeId, std::vector<std::pair<std::size_t, const NodePlan*>>> treated(
      study.graph().nodes().size());
  for (std::size_t row = first; row < last; ++row) {
    for (const Occurrence& each : *plan_row(study, row).occurrences) {
      for (const NodePlan* const part : each.parts) {
        auto& before = treated[part->node];
        for (const auto& [other, plan] : before) {
          if (plan != part && exclude_each_other(*plan, *part)) sets.join(other, row);
        }
        before.emplace_back(row, part);
      }
    }
  }
}

/// How informative an occurrence is for a node; the most important criterion comes first.
struct Telling {
  bool is_carried_out_for_it = false;
  bool is_known_to_the_reference = false;
  bool frees_it = false;
  bool is_applied = false;
  std::int64_t saving_bytes = 0;

  auto operator<=>(const Telling&) const = default;
};

using AppliedPlans = std::unordered_set<const NodePlan*>;

/// How informative an occurrence is for a node. Nothing if the occurrence neither frees an output
/// of the node nor runs the node again.
std::optional<Telling> telling(const AppliedPlans& applied, const PlanRow& row,
                               const Occurrence& each, NodeId node) {
  const auto frees = [&](const NodePlan* part) { return part->node == node; };
  const auto repeats = [&](const NodePlan* part) {
    return std::ranges::find(part->subgraph, node) != part->subgraph.end();
  };
  const auto is_on = [&](const NodePlan* part) { return applied.contains(part); };
  const bool frees_it = std::ranges::any_of(each.parts, frees);
  if (!frees_it && std::ranges::none_of(each.parts, repeats)) return std::nullopt;
  const bool is_applied = std::ranges::all_of(each.parts, is_on);
  return Telling{frees_it && is_applied, is_searched(row.type), frees_it, is_applied,
                 each.saving_bytes};
}

struct ToldPlace {
  TablePlace place;
  Telling telling;

  /// Whether ONNX Runtime knows the plan type, or the plan is carried out.
  bool is_plain() const { return telling.is_known_to_the_reference || telling.is_applied; }
};

std::optional<ToldPlace> planned_place(const Study& study, NodeId node) {
  const AppliedPlans applied(study.applied.begin(), study.applied.end());
  std::optional<ToldPlace> best;
  for (std::size_t row = 0; row < plan_rows(study); ++row) {
    const auto& occurrences = *plan_row(study, row).occurrences;
    for (std::size_t i = 0; i < occurrences.size(); ++i) {
      const auto tells = telling(applied, plan_row(study, row), occurrences[i], node);
      if (tells && (!best || best->telling < *tells)) best = {{row, i, {}}, *tells};
    }
  }
  return best;
}

/// The largest stashed output without a plan, among the outputs of the entry nodes of obstacles.
/// Considers only the obstacles that `fits` accepts. If several outputs are equally large, the
/// first of them.
template <class Fits>
std::optional<TablePlace> unplanned_place(const Study& study, Fits fits) {
  std::optional<TablePlace> largest;
  for (const Obstacle& obstacle : study.opportunities->obstacles) {
    if (!fits(obstacle)) continue;
    for (const ValueId output : study.graph().topology().outputs[obstacle.entry]) {
      if (!study.opportunities->is_stashed[output]) continue;
      const IdVector<ValueId, std::int64_t>& bytes = study.sizes->bytes;
      if (!largest || bytes[output] > bytes[largest->tensor]) largest = {0, 0, output};
    }
  }
  return largest;
}

}  // namespace

std::optional<TablePlace> table_place(const Study& study, NodeId node) {
  const auto planned = planned_place(study, node);
  if (planned && planned->is_plain()) return planned->place;
  const auto made =
      unplanned_place(study, [&](const Obstacle& each) { return each.entry == node; });
  if (made) return made;
  if (planned) return planned->place;
  return unplanned_place(study, [&](const Obstacle& each) { return each.stopped_at == node; });
}

std::size_t plan_rows(const Study& study) {
  return study.plan_table->plans.size() + study.plan_table->extensions.size();
}

const PlanRow& plan_row(const Study& study, std::size_t row) {
  const std::size_t plans = study.plan_table->plans.size();
  return row < plans ? study.plan_table->plans[row] : study.plan_table->extensions[row - plans];
}

std::vector<std::vector<std::size_t>> plan_groups(const Study& study) {
  const std::size_t rows = plan_rows(study);
  RowSets sets(rows);
  join_by_cluster(study, sets);
  join_by_output(study, 0, study.plan_table->plans.size(), sets);
  join_by_output(study, study.plan_table->plans.size(), rows, sets);
  std::map<std::size_t, std::vector<std::size_t>> groups;
  for (std::size_t row = 0; row < rows; ++row) groups[sets.find(row)].push_back(row);
  std::vector<std::vector<std::size_t>> list;
  list.reserve(groups.size());
  for (auto& [first, members] : groups) list.push_back(std::move(members));
  return list;
}

std::string layer_of(const Graph& graph, NodeId node) {
  return join(path_of(graph.node(node)).scope, ".");
}

std::vector<std::string> layers_of(const Graph& graph, const PlanRow& row) {
  std::vector<std::string> layers;
  std::unordered_set<std::string> known;
  for (const Occurrence& each : *row.occurrences) {
    std::string layer = layer_of(graph, OccurrenceFacts::node(each));
    if (!layer.empty() && known.insert(layer).second) layers.push_back(std::move(layer));
  }
  return layers;
}

std::int64_t freed_bytes(const PlanRow& row) {
  if (row.type != PlanType::region) return row.saving_bytes;
  std::int64_t bytes = 0;
  for (const Occurrence& each : *row.occurrences) bytes += each.saving_bytes;
  return bytes;
}

std::int64_t freed_bytes_at_peak(const PlanRow& row) {
  return std::min(row.bytes_at_peak, freed_bytes(row));
}

OccurrenceFacts::OccurrenceFacts(const Study& study)
    : study_(study),
      costs_(plan_cost_input(study)),
      applied_(study.applied.begin(), study.applied.end()),
      step_of_(study.current->dataflow.topology.nodes()) {
  for (const NodePlan* const plan : study.applied) treated_.insert(plan->node);
  const std::vector<NodeId>& order = study.current->timeline.order;
  for (std::size_t step = 0; step < order.size(); ++step) step_of_[order[step]] = step;
}

std::optional<Life> OccurrenceFacts::life(ValueId value) const {
  const Topology& topology = study_.current->dataflow.topology;
  const NodeId maker = topology.producer[value];
  if (!maker.valid()) return std::nullopt;
  Life life{step_of_[maker], step_of_[maker]};
  for (const NodeId reader : topology.readers[value]) {
    life.last_read = std::max(life.last_read, step_of_[reader]);
  }
  return life;
}

ValueId OccurrenceFacts::value(const Occurrence& each) const {
  const NodePlan& plan = *each.parts.front();
  return study_.graph().node(plan.node).outputs[plan.outputs.front()];
}

bool OccurrenceFacts::is_applied(const Occurrence& each) const {
  return std::ranges::all_of(each.parts,
                             [&](const NodePlan* part) { return applied_.contains(part); });
}

bool OccurrenceFacts::has_pinned_node(const Occurrence& each) const {
  return std::ranges::any_of(
      each.parts, [&](const NodePlan* part) { return is_pinned(study_.pinned, part->node); });
}

std::string OccurrenceFacts::why_not(const PlanRow& row, const Occurrence& each) const {
  if (has_pinned_node(each)) return "the node is pinned, so its output stays in memory";
  if (!row.on || is_applied(each)) return "";
  const bool is_treated = std::ranges::any_of(each.parts, [&](const NodePlan* part) {
    return !applied_.contains(part) && treated_.contains(part->node);
  });
  return is_treated ? "another plan is applied to the same node"
                    : "the node comes after the last occurrence that the plan's count covers";
}

std::int64_t OccurrenceFacts::freed_bytes_in_use(const PlanRow& row) const {
  std::int64_t bytes = 0;
  for (const Occurrence& each : *row.occurrences) {
    if (is_applied(each)) bytes += each.saving_bytes;
  }
  return bytes;
}

OccurrenceFacts::Places OccurrenceFacts::places(const std::vector<const PlanRow*>& rows) const {
  std::unordered_set<NodeId> all;
  std::unordered_set<NodeId> in_use;
  for (const PlanRow* const row : rows) {
    for (const Occurrence& each : *row->occurrences) {
      all.insert(node(each));
      if (is_applied(each)) in_use.insert(node(each));
    }
  }
  return {static_cast<int>(all.size()), static_cast<int>(in_use.size())};
}

std::int64_t OccurrenceFacts::bytes_at_peak(const Occurrence& each) const {
  std::int64_t bytes = 0;
  for (const NodePlan* const part : each.parts) {
    bytes += stashscope::bytes_at_peak(study_.graph(), study_.baseline->timeline, *part);
  }
  return std::min(bytes, each.saving_bytes);
}

double OccurrenceFacts::seconds(const Occurrence& each) const {
  double seconds = 0;
  for (const NodePlan* const part : each.parts) {
    seconds += strategy_of(part->type).cost(*part, costs_).seconds;
  }
  return seconds;
}

std::vector<ValueId> freed_by(const Graph& graph, const NodePlan& plan) {
  if (plan.region) return plan.region->freed;
  std::vector<ValueId> values;
  for (const std::size_t output : plan.outputs) {
    values.push_back(graph.node(plan.node).outputs[output]);
  }
  return values;
}

}  // namespace stashscope
