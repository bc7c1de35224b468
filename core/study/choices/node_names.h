#pragma once

#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/graph/dataflow.h"

namespace stashscope {

/// A node's name on the screen: its own, or that of its first output where it has none.
std::string shown_name(const Graph& graph, const Dataflow& dataflow, NodeId node);

/// The names of nodes in choices. A name means all nodes that have it, or if none has it, the
/// producer of the tensor of that name.
class NodeNames {
 public:
  /// Of a graph's own nodes.
  explicit NodeNames(const Graph& graph);
  /// Of a step's nodes, added ones included.
  NodeNames(const Graph& graph, const Dataflow& dataflow);

  std::size_t size() const { return names_.size(); }

  /// The node's own name, or that of an output if its own is missing or shared. Empty where all of
  /// these mean other nodes.
  const std::string& of(NodeId node) const { return names_[node]; }
  /// All nodes that the name means; a view of this object.
  std::span<const NodeId> all(const std::string& name) const;
  /// The first of these; invalid for an unknown name.
  NodeId find(const std::string& name) const;

 private:
  std::unordered_map<std::string, std::vector<NodeId>> meant_;
  IdVector<NodeId, std::string> names_;
};

/// Removes from `known` the names that mean one of these nodes.
void forget_names(const NodeNames& names, const std::set<NodeId>& nodes,
                  std::set<std::string>& known);

/// Why choices cannot name the first of these nodes that has no name of its own: a sentence. Empty
/// if they can name all.
std::string why_not_named(const Graph& graph, const Dataflow& dataflow,
                          std::span<const NodeId> nodes);

}  // namespace stashscope
