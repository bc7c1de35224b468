#include "core/layout/scene/grouping.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "core/graph/captured_step.h"
#include "core/graph/node_modules.h"
#include "core/graph/node_path.h"
#include "core/layout/scene/group_tree.h"
#include "core/layout/scene/runs.h"
#include "core/layout/scene/source_order.h"
#include "core/recompute/forward_nodes.h"

namespace stashscope::layout {

namespace {

constexpr std::size_t first_screen = RunLimits().most_at_top;

class GroupingBuilder {
 public:
  GroupingBuilder(const Graph& graph, const IdVector<NodeId, Side>& side, OperatorNames names)
      : graph_(graph), places_(graph, side) {
    grouping_.side = side;
    grouping_.operator_names = std::move(names);
    grouping_.group_of = IdVector<NodeId, GroupId>(graph.nodes().size());
  }

  Grouping build() {
    place_by_module();
    simplify();
    gather_runs(tree_, graph_, grouping_);
    emit(GroupTree::root, GroupId());
    mark_layers();
    return std::move(grouping_);
  }

 private:
  IdRange<NodeId> all_nodes() const { return IdRange<NodeId>(graph_.nodes().size()); }

  IdVector<NodeId, bool> is_forward() const {
    IdVector<NodeId, bool> forward;
    for (const Side side : grouping_.side) forward.push_back(side == Side::forward);
    return forward;
  }

  void place_by_module() {
    NodeModules modules = find_modules(graph_, is_forward());
    for (const NodeId id : all_nodes()) {
      const std::size_t group = is_update(id) ? update_group() : tree_.at(modules.scope[id]);
      tree_[group].nodes.push_back(id);
    }
    grouping_.partner = std::move(modules.partner);
  }

  bool is_update(NodeId id) const {
    const CapturedStep* const step = graph_.data().captured.get();
    return step != nullptr && step->phases[id] == CapturedPhase::optimizer;
  }

  /// The group of a captured optimizer. The double slash keeps the group apart from a module named
  /// `optimizer`.
  std::size_t update_group() {
    if (!update_group_)
      update_group_ = tree_.add_child(GroupTree::root, "//optimizer", "optimizer");
    return *update_group_;
  }

  void simplify() {
    for (const std::size_t group : tree_.bottom_up()) {
      if (group != GroupTree::root && is_single_operator(group)) tree_.dissolve(group);
    }
    for (const std::size_t group : tree_.bottom_up()) {
      if (group != GroupTree::root) join_with_only_child(group);
    }
    while (const auto wrapper = wrapper_of_all()) tree_.dissolve(*wrapper);
  }

  bool is_single_operator(std::size_t group) const {
    const auto& nodes = tree_[group].nodes;
    const auto forward = std::count_if(nodes.begin(), nodes.end(), [&](NodeId id) {
      return grouping_.side[id] == Side::forward && graph_.node(id).op_type != "Shape";
    });
    return tree_[group].children.empty() && forward <= 1 && nodes.size() <= 5;
  }

  void join_with_only_child(std::size_t group) {
    if (tree_[group].children.size() != 1 || !tree_[group].nodes.empty()) return;
    const std::size_t child = tree_[group].children.front();
    const std::string inner = tree_[child].label;
    tree_.dissolve(child);
    if (series_stem(tree_[group].label).empty()) tree_[group].label += "/" + inner;
  }

  /// Returns the outermost group that contains more than half of the nodes, such as
  /// `_original_module/transformer`, if this group has inner groups. A closed box for nearly the
  /// whole model would be useless.
  std::optional<std::size_t> wrapper_of_all() const {
    for (const std::size_t child : tree_[GroupTree::root].children) {
      const bool holds_most = tree_.all_nodes(child).size() * 2 > graph_.nodes().size();
      if (holds_most && !tree_[child].children.empty()) return child;
    }
    return std::nullopt;
  }

  GroupId emit(std::size_t from, GroupId parent) {
    GroupTree::Entry& entry = tree_[from];
    std::sort(entry.nodes.begin(), entry.nodes.end());
    const GroupId id =
        grouping_.groups.push_back({entry.path, entry.label, parent, {}, entry.nodes, false});
    for (const NodeId node : entry.nodes) grouping_.group_of[node] = id;
    std::vector<std::pair<NodeId, std::size_t>> children;
    for (const std::size_t child : entry.children) {
      const NodeId place = places_.of_group(tree_.all_nodes(child));
      if (place.valid()) children.emplace_back(place, child);
    }
    std::sort(children.begin(), children.end());
    for (const auto& [place, child] : children) {
      const GroupId inner = emit(child, id);
      grouping_.groups[id].groups.push_back(inner);
    }
    return id;
  }

  void mark_layers() {
    for (const Group& group : grouping_.groups) {
      std::unordered_map<std::string_view, int> series;
      for (const GroupId child : group.groups) {
        ++series[series_stem(grouping_.groups[child].label)];
      }
      for (const GroupId child : group.groups) {
        const std::string_view stem = series_stem(grouping_.groups[child].label);
        grouping_.groups[child].is_layer = !stem.empty() && series[stem] > 1;
      }
    }
  }

  const Graph& graph_;
  const SourceOrder places_;
  GroupTree tree_;
  std::optional<std::size_t> update_group_;
  Grouping grouping_;
};

std::size_t boxes_in(const Group& group) { return group.groups.size() + group.nodes.size(); }

bool holds_layers(const Grouping& grouping, const Group& group) {
  return std::any_of(group.groups.begin(), group.groups.end(),
                     [&](GroupId inner) { return grouping.groups[inner].is_layer; });
}

}  // namespace

IdVector<NodeId, Side> sides_of(const Graph& graph, const Opportunities& opportunities) {
  IdVector<NodeId, Side> side;
  side.reserve(graph.nodes().size());
  for (const bool is_forward : forward_nodes(graph, opportunities)) {
    side.push_back(is_forward ? Side::forward : Side::backward);
  }
  return side;
}

const std::string& operator_name(const Graph& graph, const OperatorNames& names, NodeId node) {
  const auto named = names.find(node);
  return named == names.end() ? graph.node(node).op_type : named->second;
}

Grouping make_grouping(const Graph& graph, const IdVector<NodeId, Side>& side,
                       OperatorNames operator_names) {
  return GroupingBuilder(graph, side, std::move(operator_names)).build();
}

std::string name_of(const Group& group) {
  const std::size_t part = group.path.find("//");
  const std::string modules = group.path.substr(0, part);
  std::string name = modules.empty() ? std::string() : modules.substr(1);
  if (part == std::string::npos) return name;
  if (!name.empty()) name += '/';
  return name + group.label;
}

OpenGroups initially_open(const Grouping& grouping) {
  OpenGroups open = {grouping.root()};
  std::size_t boxes = boxes_in(grouping.groups[grouping.root()]);
  std::vector<GroupId> level = grouping.groups[grouping.root()].groups;
  while (!level.empty()) {
    std::vector<GroupId> opened;
    std::vector<GroupId> next;
    std::size_t more = 0;
    for (const GroupId id : level) {
      const Group& group = grouping.groups[id];
      if (!holds_layers(grouping, group)) continue;
      opened.push_back(id);
      more += boxes_in(group);
      next.insert(next.end(), group.groups.begin(), group.groups.end());
    }
    if (boxes + more > first_screen) break;
    boxes += more;
    open.insert(opened.begin(), opened.end());
    level = std::move(next);
  }
  return open;
}

}  // namespace stashscope::layout
