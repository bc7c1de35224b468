#pragma once

#include <string>
#include <unordered_map>

#include "core/graph/dataflow.h"

namespace stashscope {

/// What a node is called on the screen: by its name, or where it has none by the first tensor that
/// it makes.
std::string shown_name(const Graph& graph, const Dataflow& dataflow, NodeId node);

/// Tells the nodes of a step by what choices call them: by its name, or where a node has none or
/// shares it, by the first tensor that it makes. Refers to its arguments.
class NodeNames {
 public:
  NodeNames(const Graph& graph, const Dataflow& dataflow);

  std::string of(NodeId node) const;
  /// Of several with the name, the first; invalid for a name that neither a node nor a tensor has.
  NodeId find(const std::string& name) const;

 private:
  const Graph& graph_;
  const Dataflow& dataflow_;
  std::unordered_map<std::string, NodeId> by_name_;
  std::unordered_map<std::string, NodeId> by_tensor_;
};

}  // namespace stashscope
