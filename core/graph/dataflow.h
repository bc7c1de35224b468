#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/graph/graph.h"

namespace stashscope {

constexpr std::string_view clone_suffix = "_recompute";

/// What an added node does.
enum class AddedKind : std::uint8_t {
  recompute,   ///< a clone of a node of the graph
  offload,     ///< moves the tensor from device to host
  fetch,       ///< moves the tensor from host to device
  compress,    ///< casts the tensor to a narrower element type
  decompress,  ///< casts the tensor back to its original element type
  /// Keeps the state of the random generator for a checkpoint of PyTorch. The node has no input.
  generator_state
};

/// Whether a node of this kind evicts its tensor. Such a node runs in forward, after the last
/// forward node that needs the tensor.
constexpr bool evicts(AddedKind kind) {
  return kind == AddedKind::offload || kind == AddedKind::compress;
}

/// How an added value is stored, compared with the value it copies.
struct StoredForm {
  ElementType element = ElementType::undefined;  ///< undefined: the type of the original
  Rational share = 1;  ///< fraction of the original's bytes; 0 on the host
  /// If set, the bytes of the added value; `share` is ignored.
  std::optional<std::int64_t> fixed_bytes = std::nullopt;

  friend bool operator==(const StoredForm&, const StoredForm&) = default;
};

/// How PyTorch runs a captured step with plans.
struct FixedRun {
  std::vector<NodeId> order;
  /// The last node during which the value's storage lives. Invalid: only the value's readers hold
  /// the storage, or the storage outlives the step.
  IdVector<ValueId, NodeId> held_until;
};

/// The dataflow of one training step: the graph's own nodes and added nodes. An added node is a
/// clone, belongs to a pair that evicts a tensor and restores it, or keeps the state of the random
/// generator. Some readers read the output of a clone or of a pair instead of the original value.
/// The structure is flat, so that it is cheap to rebuild for every choice. Data not stored here,
/// such as shapes, comes from the originals. Ids of added nodes and values follow the graph's ids.
struct Dataflow {
  Topology topology;
  std::size_t graph_nodes = 0;         ///< number of the graph's own nodes, which come first
  std::size_t graph_values = 0;        ///< number of the graph's own values, which come first
  std::vector<NodeId> cloned_nodes;    ///< original of node graph_nodes + k: the cloned node, or
                                       ///< the producer of the tensor that the node evicts or
                                       ///< restores; of a `generator_state` node, the first
                                       ///< node with an output in the module's call, for which
                                       ///< the checkpoint keeps the state
  std::vector<AddedKind> kinds;        ///< kind of node graph_nodes + k
  std::vector<std::uint32_t> copies;   ///< for node graph_nodes + k: how many clones of the same
                                       ///< original come before it; trailing zeros may be omitted
  std::vector<ValueId> cloned_values;  ///< original of value graph_values + k
  std::vector<StoredForm> forms;       ///< stored form of value graph_values + k
  std::vector<NodeId> seeded_nodes;    ///< random originals that need a fixed seed to be cloned
  std::shared_ptr<const FixedRun> fixed;  ///< set only for a captured step with plans

  explicit Dataflow(const Graph& graph);

  /// Whether the node is an added node of any AddedKind.
  bool is_clone(NodeId id) const { return id.index() >= graph_nodes; }
  NodeId origin(NodeId id) const {
    return is_clone(id) ? cloned_nodes[id.index() - graph_nodes] : id;
  }
  ValueId origin(ValueId id) const {
    return id.index() < graph_values ? id : cloned_values[id.index() - graph_values];
  }
  /// Whether the node is one of the graph's own nodes or a clone of such a node.
  bool runs_origin(NodeId id) const { return !is_clone(id) || kind(id) == AddedKind::recompute; }
  /// @pre is_clone(id)
  AddedKind kind(NodeId id) const { return kinds[id.index() - graph_nodes]; }
  /// @pre is_clone(id)
  std::uint32_t copy(NodeId id) const {
    const std::size_t added = id.index() - graph_nodes;
    return added < copies.size() ? copies[added] : 0;
  }
  /// How a value is stored; the graph's own values are stored unchanged.
  StoredForm form(ValueId id) const {
    return id.index() < graph_values ? StoredForm() : forms[id.index() - graph_values];
  }
};

/// The element type in which a value is stored.
ElementType stored_element(const Graph& graph, const Dataflow& dataflow, ValueId id);

/// The added node `id`, which evicts or restores a tensor, as a Node of a graph. Its input and its
/// output are values of the dataflow.
/// @pre the kind of the node is offload, fetch, compress or decompress
Node transfer_node(const Graph& graph, const Dataflow& dataflow, NodeId id);

/// A node's name without clone suffixes, including those in a model that was saved with clones.
std::string_view without_clone_suffix(std::string_view name);

/// The name of a node or value. Added nodes and values have their original's name with a suffix.
std::string name_of(const Graph& graph, const Dataflow& dataflow, NodeId id);
std::string name_of(const Graph& graph, const Dataflow& dataflow, ValueId id);

/// The complete modified graph with its nodes in `order`. The first clone of a node has the suffix
/// `_recompute`, the next ones `_recompute2` and so on; their doc strings name the original. Random
/// originals get a seed, which their clones copy. MemcpyToHost, MemcpyFromHost and Cast evict and
/// restore tensors. Throws a usage Error if Cast in the graph's opset does not support a type.
Graph materialize(const Graph& graph, const Dataflow& dataflow, const std::vector<NodeId>& order);

/// Seed of a random node: hash of its first output's name (h = h * 101 + byte, 32 bits).
std::int64_t seed_for(const std::string& output_name);

}  // namespace stashscope
