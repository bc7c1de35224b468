#pragma once

#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/graph/dataflow.h"

namespace stashscope {

/// What a node is called on the screen: by its name, or where it has none by the first tensor that
/// it makes.
std::string shown_name(const Graph& graph, const Dataflow& dataflow, NodeId node);

/// What nodes are called in choices. A name means all nodes that have it, or where none has, the
/// node that makes the tensor of that name.
class NodeNames {
 public:
  /// Of a graph's own nodes.
  explicit NodeNames(const Graph& graph);
  /// Of a step's nodes, added ones included.
  NodeNames(const Graph& graph, const Dataflow& dataflow);

  std::size_t size() const { return names_.size(); }

  /// The node's own name, or where it has none or others have the same, that of a tensor it makes.
  /// Empty where all of these mean other nodes.
  const std::string& of(NodeId node) const { return names_[node]; }
  /// All that the name means; a view of this object.
  std::span<const NodeId> all(const std::string& name) const;
  /// The first of these; invalid for a name that neither a node nor a tensor has.
  NodeId find(const std::string& name) const;

 private:
  std::unordered_map<std::string, std::vector<NodeId>> meant_;
  IdVector<NodeId, std::string> names_;
};

/// Takes out of some names all that mean one of these nodes.
void forget_names(const NodeNames& names, const std::set<NodeId>& nodes,
                  std::set<std::string>& known);

/// Why choices cannot call one of some nodes: a sentence about the first one. Empty: they can.
std::string why_not_named(const Graph& graph, const Dataflow& dataflow,
                          std::span<const NodeId> nodes);

}  // namespace stashscope
