#include "core/layout/scene/outline.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <unordered_map>

#include "core/graph/traversal.h"

namespace stashscope::layout {

namespace {

constexpr double line_height = 26;
constexpr Size closed_group_size = {196, 42};
constexpr double least_width = 72;
constexpr double most_width = 220;
constexpr double text_margin = 28;

class OutlineBuilder {
 public:
  OutlineBuilder(const Dataflow& dataflow, const Grouping& grouping)
      : dataflow_(dataflow), topology_(dataflow.topology), grouping_(grouping) {}

  Outline build(const OpenGroups& open, std::size_t limit) {
    order_nodes();
    list_contents();
    open_groups(open, limit);
    make_levels(grouping_.root());
    outline_.spot_of.reserve(topology_.nodes());
    for (const NodeId node : IdRange<NodeId>(topology_.nodes())) {
      outline_.spot_of.push_back(find_spot(node));
    }
    for (const ValueId value : IdRange<ValueId>(topology_.values())) add_edges(value);
    find_partners();
    return std::move(outline_);
  }

 private:
  Side side_of(NodeId node) const { return layout::side_of(dataflow_, grouping_, node); }
  GroupId group_of(NodeId node) const { return grouping_.group_of[dataflow_.origin(node)]; }

  /// Nodes keep their file order; clones come before their first reader.
  void order_nodes() {
    std::vector<NodeId> order = topological_order(topology_);
    IdVector<NodeId, std::size_t> anchor(topology_.nodes());
    for (auto node = order.rbegin(); node != order.rend(); ++node) {
      anchor[*node] = node->index();
      if (!dataflow_.is_clone(*node)) continue;
      for (const ValueId output : topology_.outputs[*node]) {
        for (const NodeId reader : topology_.readers[output]) {
          anchor[*node] = std::min(anchor[*node], anchor[reader]);
        }
      }
    }
    const auto key = [&](NodeId node) {
      return std::pair(anchor[node], !dataflow_.is_clone(node));
    };
    std::stable_sort(order.begin(), order.end(),
                     [&](NodeId a, NodeId b) { return key(a) < key(b); });
    place_ = IdVector<NodeId, std::size_t>(topology_.nodes());
    for (std::size_t i = 0; i < order.size(); ++i) place_[order[i]] = i;
  }

  /// Collects the direct contents of each group by side, and the position of its first node.
  void list_contents() {
    contents_.resize(grouping_.groups.size());
    for (const NodeId node : IdRange<NodeId>(topology_.nodes())) {
      const auto side = static_cast<std::size_t>(side_of(node));
      contents_[group_of(node)].nodes[side].push_back(node);
      for (GroupId at = group_of(node); at.valid(); at = grouping_.groups[at].parent) {
        std::size_t& first = contents_[at].first[side];
        if (first <= place_[node]) break;
        first = place_[node];
      }
    }
  }

  bool has(GroupId group, Side side) const {
    return contents_[group].first[static_cast<std::size_t>(side)] != nowhere;
  }

  std::size_t boxes_inside(GroupId group) const {
    std::size_t boxes = contents_[group].nodes[0].size() + contents_[group].nodes[1].size();
    for (const GroupId inner : grouping_.groups[group].groups) {
      boxes += (has(inner, Side::forward) ? 1u : 0u) + (has(inner, Side::backward) ? 1u : 0u);
    }
    return boxes;
  }

  /// Opens outer groups before inner ones, so that the limit on boxes keeps inner groups closed
  /// rather than outer ones.
  void open_groups(const OpenGroups& open, std::size_t limit) {
    is_open_ = IdVector<GroupId, bool>(grouping_.groups.size(), false);
    std::vector<GroupId> queue = {grouping_.root()};
    for (std::size_t i = 0; i < queue.size(); ++i) {
      const std::size_t more = boxes_inside(queue[i]);
      if (i > 0 && outline_.boxes + more > limit) {
        ++outline_.kept_closed;
        continue;
      }
      is_open_[queue[i]] = true;
      outline_.boxes += more;
      for (const GroupId inner : grouping_.groups[queue[i]].groups) {
        if (open.contains(inner)) queue.push_back(inner);
      }
    }
  }

  std::uint32_t make_levels(GroupId group) {
    OutlineLevel level;
    level.group = group;
    std::map<GroupId, std::uint32_t> inner_levels;
    for (const GroupId inner : grouping_.groups[group].groups) {
      if (is_open_[inner]) inner_levels[inner] = make_levels(inner);
    }
    const auto index = static_cast<std::uint32_t>(outline_.levels.size());
    for (const Side side : {Side::forward, Side::backward}) {
      fill_column(level, side, inner_levels);
      auto& boxes = level.column(side).boxes;
      for (std::uint32_t i = 0; i < boxes.size(); ++i) {
        if (boxes[i].node.valid()) node_spot_[boxes[i].node] = {index, i};
        if (boxes[i].group.valid()) group_spot_[{boxes[i].group, side}] = {index, i};
      }
    }
    outline_.levels.push_back(std::move(level));
    return index;
  }

  void fill_column(OutlineLevel& level, Side side,
                   const std::map<GroupId, std::uint32_t>& inner_levels) const {
    const auto s = static_cast<std::size_t>(side);
    std::vector<std::pair<std::size_t, OutlineBox>> placed;
    for (const NodeId node : contents_[level.group].nodes[s]) {
      placed.push_back({place_[node], {node, GroupId(), side, no_level}});
    }
    for (const GroupId inner : grouping_.groups[level.group].groups) {
      if (!has(inner, side)) continue;
      const auto open = inner_levels.find(inner);
      const std::uint32_t inside = open == inner_levels.end() ? no_level : open->second;
      placed.push_back({contents_[inner].first[s], {NodeId(), inner, side, inside}});
    }
    std::stable_sort(placed.begin(), placed.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [place, box] : placed) level.column(side).boxes.push_back(box);
  }

  /// The box that shows a node: the node's own box, or that of the outermost closed group around
  /// the node.
  Spot find_spot(NodeId node) const {
    GroupId closed;
    for (GroupId at = group_of(node); at.valid(); at = grouping_.groups[at].parent) {
      if (!is_open_[at]) closed = at;
    }
    return closed.valid() ? group_spot_.at({closed, side_of(node)}) : node_spot_.at(node);
  }

  /// The open box around a level.
  Spot around(std::uint32_t level, Side side) const {
    return group_spot_.at({outline_.levels[level].group, side});
  }

  bool is_inside(std::uint32_t inner, std::uint32_t outer) const {
    GroupId at = outline_.levels[inner].group;
    while (at.valid() && at != outline_.levels[outer].group) at = grouping_.groups[at].parent;
    return at.valid();
  }

  void add_edges(ValueId value) {
    const NodeId producer = topology_.producer[value];
    if (!producer.valid()) return;
    for (const NodeId reader : topology_.readers[value]) {
      if (side_of(producer) == side_of(reader)) connect(producer, reader, value);
    }
  }

  /// Adds the edges between two nodes: one at the innermost level that contains both, and one
  /// through the border of each level that contains only one of them. Nodes in the same box get no
  /// edge.
  void connect(NodeId producer, NodeId reader, ValueId value) {
    const Side side = side_of(producer);
    Spot from = outline_.spot_of[producer];
    Spot to = outline_.spot_of[reader];
    while (!is_inside(to.level, from.level)) {
      add_edge(from.level, side, {from.box, outside}, value);
      from = around(from.level, side);
    }
    while (to.level != from.level) {
      add_edge(to.level, side, {outside, to.box}, value);
      to = around(to.level, side);
    }
    if (from.box != to.box) add_edge(from.level, side, {from.box, to.box}, value);
  }

  void add_edge(std::uint32_t level, Side side, LayoutEdge edge, ValueId value) {
    OutlineColumn& column = outline_.levels[level].column(side);
    const auto key = std::tuple(level, side, edge.from, edge.to);
    const auto [known, is_new] = edges_.try_emplace(key, column.edges.size(), ValueId());
    auto& [index, last_value] = known->second;
    if (is_new) {
      column.edges.push_back(edge);
      column.tensors.push_back(0);
    }
    if (last_value == value) return;
    last_value = value;
    ++column.tensors[index];
  }

  void find_partners() {
    for (std::uint32_t index = 0; index < outline_.levels.size(); ++index) {
      OutlineLevel& level = outline_.levels[index];
      const auto& backward = level.column(Side::backward).boxes;
      for (std::uint32_t i = 0; i < backward.size(); ++i) {
        const auto forward = forward_partner(backward[i]);
        if (forward && forward->level == index) level.partners.push_back({forward->box, i});
      }
    }
  }

  std::optional<Spot> forward_partner(const OutlineBox& box) const {
    if (box.group.valid()) {
      const auto found = group_spot_.find({box.group, Side::forward});
      return found == group_spot_.end() ? std::nullopt : std::optional(found->second);
    }
    const NodeId partner =
        dataflow_.is_clone(box.node) ? dataflow_.origin(box.node) : grouping_.partner[box.node];
    const auto found = partner.valid() ? node_spot_.find(partner) : node_spot_.end();
    return found == node_spot_.end() ? std::nullopt : std::optional(found->second);
  }

  static constexpr std::size_t nowhere = static_cast<std::size_t>(-1);

  struct Contents {
    std::array<std::vector<NodeId>, 2> nodes;
    std::array<std::size_t, 2> first = {nowhere, nowhere};
  };

  const Dataflow& dataflow_;
  const Topology& topology_;
  const Grouping& grouping_;
  IdVector<NodeId, std::size_t> place_;
  IdVector<GroupId, Contents> contents_;
  IdVector<GroupId, bool> is_open_;
  std::unordered_map<NodeId, Spot> node_spot_;
  std::map<std::pair<GroupId, Side>, Spot> group_spot_;
  std::map<std::tuple<std::uint32_t, Side, std::uint32_t, std::uint32_t>,
           std::pair<std::size_t, ValueId>>
      edges_;
  Outline outline_;
};

LayoutBox sized(const OutlineBox& box, const std::string& title, const TextWidth& text_width,
                double scale) {
  if (box.inner != no_level) return {{}, box.inner};
  if (box.group.valid()) {
    return {{closed_group_size.width * scale, closed_group_size.height * scale}, no_level};
  }
  const double width = std::clamp(text_width(title) + text_margin, least_width, most_width);
  return {{std::ceil(width * scale), line_height * scale}, no_level};
}

}  // namespace

Outline make_outline(const Dataflow& dataflow, const Grouping& grouping, const OpenGroups& open,
                     std::size_t limit) {
  return OutlineBuilder(dataflow, grouping).build(open, limit);
}

std::string title_of(const OutlineBox& box, const Graph& graph, const Dataflow& dataflow,
                     const Grouping& grouping) {
  if (box.group.valid()) return grouping.groups[box.group].label;
  return operator_name(graph, grouping.operator_names, dataflow.origin(box.node));
}

LayoutRequest make_request(const Outline& outline, const Graph& graph, const Dataflow& dataflow,
                           const Grouping& grouping, const TextWidth& text_width,
                           double text_scale) {
  LayoutRequest request;
  for (const OutlineLevel& level : outline.levels) {
    LayoutLevel asked;
    for (const Side side : {Side::forward, Side::backward}) {
      LayoutColumn& column = side == Side::forward ? asked.forward : asked.backward;
      for (const OutlineBox& box : level.column(side).boxes) {
        const std::string title = title_of(box, graph, dataflow, grouping);
        column.boxes.push_back(sized(box, title, text_width, text_scale));
      }
      column.edges = level.column(side).edges;
    }
    asked.partners = level.partners;
    request.levels.push_back(std::move(asked));
  }
  return request;
}

}  // namespace stashscope::layout
