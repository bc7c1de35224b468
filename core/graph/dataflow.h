#pragma once

#include <string>
#include <vector>

#include "core/graph/graph.h"

namespace stashscope {

constexpr std::string_view clone_suffix = "_recompute";

/// What a node that was added to a graph's own does with the stashed tensor it is about.
enum class AddedKind : std::uint8_t {
  recompute,  ///< a clone of a node of the graph
  offload,    ///< device to host
  fetch,      ///< host to device
  compress,   ///< to a narrower element type
  decompress  ///< back to its own
};

/// The kinds that run in forward, as soon as nothing there needs their tensor any more.
constexpr bool evicts(AddedKind kind) {
  return kind == AddedKind::offload || kind == AddedKind::compress;
}

/// How an added value differs from the value it is a copy of.
struct StoredForm {
  ElementType element = ElementType::undefined;  ///< undefined: that of the original
  Rational share = 1;                            ///< of the original's bytes; 0 on the host

  friend bool operator==(const StoredForm&, const StoredForm&) = default;
};

/// The dataflow of one step: a graph's own nodes, and added ones whose readers were rewired:
/// clones of nodes, and pairs of nodes that put a tensor away and bring it back. Only flat
/// structure, so that it can be made anew for every choice; what clones are is said by their
/// originals. Added nodes and values have ids behind the graph's own.
struct Dataflow {
  Topology topology;
  std::size_t graph_nodes = 0;         ///< ids below are the graph's own nodes
  std::size_t graph_values = 0;        ///< ids below are the graph's own values
  std::vector<NodeId> cloned_nodes;    ///< original of node graph_nodes + k: for other kinds than
                                       ///< clones the node that makes their tensor
  std::vector<AddedKind> kinds;        ///< of node graph_nodes + k
  std::vector<std::uint32_t> copies;   ///< of node graph_nodes + k: how many clones of its original
                                       ///< were added before; may end early with zeros left out
  std::vector<ValueId> cloned_values;  ///< original of value graph_values + k
  std::vector<StoredForm> forms;       ///< of value graph_values + k
  std::vector<NodeId> seeded_nodes;    ///< random originals that need a fixed seed to be cloned

  explicit Dataflow(const Graph& graph);

  bool is_clone(NodeId id) const { return id.index() >= graph_nodes; }
  NodeId origin(NodeId id) const {
    return is_clone(id) ? cloned_nodes[id.index() - graph_nodes] : id;
  }
  ValueId origin(ValueId id) const {
    return id.index() < graph_values ? id : cloned_values[id.index() - graph_values];
  }
  /// Whether the node computes what a node of the graph computes: it is one, or a clone.
  bool runs_origin(NodeId id) const { return !is_clone(id) || kind(id) == AddedKind::recompute; }
  /// @pre is_clone(id)
  AddedKind kind(NodeId id) const { return kinds[id.index() - graph_nodes]; }
  /// @pre is_clone(id)
  std::uint32_t copy(NodeId id) const {
    const std::size_t added = id.index() - graph_nodes;
    return added < copies.size() ? copies[added] : 0;
  }
  /// As the original for the graph's own values.
  StoredForm form(ValueId id) const {
    return id.index() < graph_values ? StoredForm() : forms[id.index() - graph_values];
  }
};

/// The element type that a value is stored with.
ElementType stored_element(const Graph& graph, const Dataflow& dataflow, ValueId id);

/// The node that puts a tensor away or brings it back, with its operands as the dataflow wires
/// them. @pre !dataflow.runs_origin(id)
Node transfer_node(const Graph& graph, const Dataflow& dataflow, NodeId id);

/// A node's name without what marks clones, also those of a model that was saved with clones.
std::string_view without_clone_suffix(std::string_view name);

/// The name of a node or value, with the suffix of a clone.
std::string name_of(const Graph& graph, const Dataflow& dataflow, NodeId id);
std::string name_of(const Graph& graph, const Dataflow& dataflow, ValueId id);

/// The modified graph in full, its nodes in `order`: clones get the suffix `_recompute`, further
/// ones of the same node `_recompute2` and so on, and say in their doc string what they are, random
/// originals get the seed that their clones copy; tensors are put away and brought back by
/// MemcpyToHost, MemcpyFromHost and Cast. Throws a usage Error when the graph's opset does not know
/// a type that is cast to.
Graph materialize(const Graph& graph, const Dataflow& dataflow, const std::vector<NodeId>& order);

/// Seed of a random node: hash of its first output's name (h = h * 101 + byte, 32 bits) plus the
/// session's seed.
std::int64_t seed_for(const std::string& output_name);

}  // namespace stashscope
