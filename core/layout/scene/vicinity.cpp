#include "core/layout/scene/vicinity.h"

namespace stashscope::layout {

namespace {

/// Collects the neighbours of a set of nodes; nodes of the set itself are left out.
class NeighbourList {
 public:
  NeighbourList(const Topology& topology, const std::vector<NodeId>& nodes)
      : seen_(topology.nodes(), false) {
    for (const NodeId node : nodes) seen_[node] = true;
  }

  void add(NodeId node, ValueId value) {
    if (!node.valid() || seen_[node]) return;
    seen_[node] = true;
    list_.push_back({node, value});
  }
  std::vector<Neighbour> take() { return std::move(list_); }

 private:
  IdVector<NodeId, bool> seen_;
  std::vector<Neighbour> list_;
};

class PathFinder {
 public:
  PathFinder(const Dataflow& dataflow, const Grouping& grouping)
      : dataflow_(dataflow), grouping_(grouping), is_wanted_(dataflow.graph_nodes, false) {}

  std::vector<NodeId> find(const std::vector<NodeId>& nodes) {
    for (const NodeId node : nodes) {
      if (is_forward(node)) {
        is_wanted_[node] = true;
      } else {
        add_read_by(node);
      }
    }
    for (const NodeId node : IdRange<NodeId>(dataflow_.topology.nodes())) {
      if (is_wanted_[dataflow_.origin(node)]) add_made_by(node);
    }
    sort_once(path_);
    return std::move(path_);
  }

  static void sort_once(std::vector<NodeId>& nodes) {
    std::sort(nodes.begin(), nodes.end());
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  }

 private:
  bool is_forward(NodeId node) const {
    return side_of(dataflow_, grouping_, node) == Side::forward;
  }

  /// @param maker a forward node or its clone
  void add_made_by(NodeId maker) {
    for (const ValueId value : dataflow_.topology.outputs[maker]) {
      if (!value.valid()) continue;
      for (const NodeId reader : dataflow_.topology.readers[value]) {
        if (is_forward(reader)) continue;
        path_.insert(path_.end(), {dataflow_.origin(maker), maker, reader});
      }
    }
  }

  void add_read_by(NodeId reader) {
    for (const ValueId value : dataflow_.topology.inputs[reader]) {
      const NodeId maker = value.valid() ? dataflow_.topology.producer[value] : NodeId();
      if (!maker.valid() || !is_forward(dataflow_.origin(maker))) continue;
      path_.insert(path_.end(), {dataflow_.origin(maker), maker, reader});
    }
  }

  const Dataflow& dataflow_;
  const Grouping& grouping_;
  IdVector<NodeId, bool>
      is_wanted_;  // by node of the graph: whether it is one of the given forward nodes
  std::vector<NodeId> path_;
};

}  // namespace

std::vector<Neighbour> makers_before(const Topology& topology, const std::vector<NodeId>& nodes) {
  NeighbourList list(topology, nodes);
  for (const NodeId node : nodes) {
    for (const ValueId value : topology.inputs[node]) {
      if (value.valid()) list.add(topology.producer[value], value);
    }
  }
  return list.take();
}

std::vector<Neighbour> readers_after(const Topology& topology, const std::vector<NodeId>& nodes) {
  NeighbourList list(topology, nodes);
  for (const NodeId node : nodes) {
    for (const ValueId value : topology.outputs[node]) {
      if (!value.valid()) continue;
      for (const NodeId reader : topology.readers[value]) list.add(reader, value);
    }
  }
  return list.take();
}

std::vector<NodeId> activation_path(const Dataflow& dataflow, const Grouping& grouping,
                                    const std::vector<NodeId>& nodes) {
  return PathFinder(dataflow, grouping).find(nodes);
}

std::vector<NodeId> nodes_of_stash_edge(const Drawing& drawing, std::uint32_t stash_edge) {
  std::vector<NodeId> nodes;
  for (const std::uint32_t stash : drawing.stash_edges[stash_edge].stashes) {
    nodes.push_back(drawing.stashes[stash].producer);
    for (const NodeId reader : drawing.stashes[stash].readers) {
      if (drawing.box_of[reader] == drawing.stash_edges[stash_edge].to) nodes.push_back(reader);
    }
  }
  PathFinder::sort_once(nodes);
  return nodes;
}

IdVector<NodeId, bool> nodes_near(const Topology& topology, const std::vector<NodeId>& nodes,
                                  int hops) {
  IdVector<NodeId, bool> near(topology.nodes(), false);
  std::vector<NodeId> last = nodes;
  for (const NodeId node : nodes) near[node] = true;
  for (int hop = 0; hop < hops; ++hop) {
    std::vector<NodeId> next;
    for (const auto& around : {makers_before(topology, last), readers_after(topology, last)}) {
      for (const Neighbour& neighbour : around) {
        if (near[neighbour.node]) continue;
        near[neighbour.node] = true;
        next.push_back(neighbour.node);
      }
    }
    last = std::move(next);
  }
  return near;
}

DrawingPart part_with(const Drawing& drawing, const IdVector<NodeId, bool>& nodes) {
  DrawingPart part;
  part.boxes.resize(drawing.boxes.size(), false);
  for (const NodeId node : IdRange<NodeId>(drawing.box_of.size())) {
    if (!nodes[node]) continue;
    for (std::uint32_t box = drawing.box_of[node]; box != outside && !part.boxes[box];
         box = drawing.boxes[box].parent) {
      part.boxes[box] = true;
    }
  }
  const auto connects = [&](const auto& line) {
    return part.boxes[line.from] && part.boxes[line.to];
  };
  for (const DrawnEdge& edge : drawing.edges) part.edges.push_back(connects(edge));
  for (const StashEdge& stash_edge : drawing.stash_edges)
    part.stash_edges.push_back(connects(stash_edge));
  return part;
}

DrawingPart common_part(const DrawingPart& a, const DrawingPart& b) {
  const auto both = [](std::vector<bool> first, const std::vector<bool>& second) {
    for (std::size_t i = 0; i < first.size(); ++i) first[i] = first[i] && second[i];
    return first;
  };
  return {both(a.boxes, b.boxes), both(a.edges, b.edges), both(a.stash_edges, b.stash_edges)};
}

std::optional<Rect> bounds_of(const Drawing& drawing, const DrawingPart& part) {
  std::optional<Rect> bounds;
  for (std::size_t i = 0; i < drawing.boxes.size(); ++i) {
    const DrawnBox& box = drawing.boxes[i];
    if (!part.boxes[i] || box.is_open()) continue;
    bounds = bounds ? united(*bounds, box.rect) : box.rect;
  }
  return bounds;
}

}  // namespace stashscope::layout
