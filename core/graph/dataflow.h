#pragma once

#include <string>
#include <vector>

#include "core/graph/graph.h"

namespace stashscope {

/// The dataflow of one step: a graph's own nodes, and clones of some of them whose readers were
/// rewired. Only flat structure, so that it can be made anew for every choice; names, types and
/// attributes are those of the originals. Clones have ids behind the graph's own.
struct Dataflow {
  Topology topology;
  std::size_t graph_nodes = 0;         ///< ids below are the graph's own nodes
  std::size_t graph_values = 0;        ///< ids below are the graph's own values
  std::vector<NodeId> cloned_nodes;    ///< original of node graph_nodes + k
  std::vector<ValueId> cloned_values;  ///< original of value graph_values + k
  std::vector<NodeId> seeded_nodes;    ///< random originals that need a fixed seed to be cloned

  explicit Dataflow(const Graph& graph);

  bool is_clone(NodeId id) const { return id.index() >= graph_nodes; }
  NodeId origin(NodeId id) const {
    return is_clone(id) ? cloned_nodes[id.index() - graph_nodes] : id;
  }
  ValueId origin(ValueId id) const {
    return id.index() < graph_values ? id : cloned_values[id.index() - graph_values];
  }
};

/// The name of a node or value, with the suffix of a clone.
std::string name_of(const Graph& graph, const Dataflow& dataflow, NodeId id);
std::string name_of(const Graph& graph, const Dataflow& dataflow, ValueId id);

/// The modified graph in full, its nodes in `order`: clones get the suffix `_recompute` and say in
/// their doc string what they are; random originals get the seed that their clones copy.
Graph materialize(const Graph& graph, const Dataflow& dataflow, const std::vector<NodeId>& order);

constexpr std::string_view clone_suffix = "_recompute";

/// Seed of a random node: hash of its first output's name (h = h * 101 + byte, 32 bits) plus the
/// session's seed.
std::int64_t seed_for(const std::string& output_name);

}  // namespace stashscope
