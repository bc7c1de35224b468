#pragma once

#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/graph/dataflow.h"

namespace stashscope {

/// A node's name on the screen: its own name, or if that is empty, the name of its first output.
std::string shown_name(const Graph& graph, const Dataflow& dataflow, NodeId node);

/// The node's own name, or if that is empty, its operator and its first output: `MatMul → scores`.
std::string titled_name(const Graph& graph, const Dataflow& dataflow, NodeId node);

/// The names of nodes in choices. A name identifies all nodes that have the name. A name that no
/// node has identifies the producer of the tensor with this name.
class NodeNames {
 public:
  /// The names of a graph's own nodes.
  explicit NodeNames(const Graph& graph);
  /// The names of a step's nodes, including the nodes that plans add.
  NodeNames(const Graph& graph, const Dataflow& dataflow);

  std::size_t size() const { return names_.size(); }

  /// The node's own name, or the name of an output if the own name is missing or shared. Empty if
  /// none of these names identifies this node alone.
  const std::string& of(NodeId node) const { return names_[node]; }
  /// All nodes that the name identifies; the span refers to this object.
  std::span<const NodeId> all(const std::string& name) const;
  /// The first node that the name identifies; invalid for an unknown name.
  NodeId find(const std::string& name) const;

 private:
  std::unordered_map<std::string, std::vector<NodeId>> meant_;
  IdVector<NodeId, std::string> names_;
};

/// Removes from `known` the names that identify one of `nodes`.
void forget_names(const NodeNames& names, const std::set<NodeId>& nodes,
                  std::set<std::string>& known);

/// One sentence on the first of `nodes` that choices cannot refer to, because it has no unique
/// name. Empty if choices can refer to all `nodes`.
std::string why_not_named(const Graph& graph, const Dataflow& dataflow,
                          std::span<const NodeId> nodes);

}  // namespace stashscope
