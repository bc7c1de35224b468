#include "core/study/step/fusion_table.h"

#include <algorithm>
#include <set>

#include "core/study/choices/effective_update.h"
#include "core/study/choices/node_names.h"
#include "core/study/step/moved_order.h"
#include "core/study/step/variants.h"

namespace stashscope {

namespace {

FusionEdits edits_of(const Graph& graph, const Dataflow& dataflow, const FusionChoice& choice) {
  if (choice.alone.empty() && choice.apart.empty()) return {};
  const NodeNames names(graph, dataflow);
  FusionEdits edits;
  for (const std::string& name : choice.alone) {
    const NodeId node = names.find(name);
    if (node.valid()) edits.alone.push_back(node);
  }
  for (const auto& [first, second] : choice.apart) {
    const NodeId a = names.find(first);
    const NodeId b = names.find(second);
    if (a.valid() && b.valid()) edits.apart.emplace_back(a, b);
  }
  return edits;
}

constexpr std::size_t most_nodes_for_all = 30000;

void set_groups(const FusedGroups& groups, std::int64_t peak, FusionRow& row) {
  row.groups = groups.members.size();
  row.fused_nodes = static_cast<std::size_t>(
      std::ranges::count_if(groups.group_of, [](FusedGroupId each) { return each.valid(); }));
  row.peak_bytes = peak;
}

}  // namespace

FusedGroups chosen_groups(const OrderInput& step, const std::optional<std::string>& order,
                          const FusionChoice& choice) {
  if (!order || !choice.strategy) return {};
  const FusionEdits edits = edits_of(step.graph, step.dataflow, choice);
  return find_fusion(*choice.strategy).groups({step, find_order(*order), edits});
}

std::vector<std::string> unknown_nodes(const Graph& graph, const Dataflow& dataflow,
                                       const FusionChoice& choice) {
  if (choice.alone.empty() && choice.apart.empty()) return {};
  const NodeNames names(graph, dataflow);
  std::set<std::string> unknown;
  const auto look_for = [&](const std::string& name) {
    if (!names.find(name).valid()) unknown.insert(name);
  };
  for (const std::string& name : choice.alone) look_for(name);
  for (const auto& [a, b] : choice.apart) {
    look_for(a);
    look_for(b);
  }
  return {unknown.begin(), unknown.end()};
}

std::vector<FusionRow> fusion_table(const Study& study, SearchedOrders searched,
                                    const Progress& progress) {
  if (!study.order || study.graph().data().captured) return {};
  const Variant& current = *study.current;
  const UpdateMemory update = update_memory(study.graph(), study.prepared->step.parameters,
                                            effective_update(study.graph(), study.choices.update));
  const OrderInput step =
      order_input(*study.prepared, *study.sizes, update, current.dataflow, progress);
  const OrderStrategy& order = find_order(*study.order);
  const FusionEdits edits = edits_of(study.graph(), current.dataflow, study.choices.fusion);
  const bool is_searched = order.kind == OrderKind::search;
  const bool looks_for_all = current.dataflow.topology.nodes() <= most_nodes_for_all &&
                             (!is_searched || searched == SearchedOrders::search);
  std::vector<FusionRow> rows;
  for (const FusionStrategy& strategy : fusion_strategies()) {
    FusionRow row{std::string(strategy.name), std::string(strategy.description), 0, 0, {}};
    if (strategy.name == choice_text(study.choices.fusion.strategy, no_fusion)) {
      set_groups(current.groups, current.timeline.peak_bytes, row);
    } else if (looks_for_all) {
      progress.update(0, strategy.name);
      const FusedGroups groups = strategy.groups({step, order, edits});
      std::vector<NodeId> nodes = is_searched
                                      ? in_chosen_order(step, groups, study.order, {}, {}).nodes
                                      : nodes_in(step, order, groups);
      MovedOrder moved = with_moves(step.graph, step.dataflow, groups, std::move(nodes),
                                    study.choices.order.moves);
      set_groups(groups, timeline_in(step, std::move(moved.nodes), groups).peak_bytes, row);
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<std::vector<std::string>> group_names(const Study& study) {
  const FusedGroups& groups = study.current->groups;
  std::vector<std::vector<std::string>> names;
  for (const FusedGroupId group : IdRange<FusedGroupId>(groups.members.size())) {
    names.emplace_back();
    for (const NodeId member : groups.members[group]) {
      names.back().push_back(name_of(study.graph(), study.current->dataflow, member));
    }
  }
  return names;
}

}  // namespace stashscope
