#pragma once

#include <vector>

#include "core/graph/dataflow.h"
#include "core/recompute/opportunities.h"

namespace stashscope {

/// How a tensor is evicted.
struct Eviction {
  AddedKind kind;
  StoredForm form;
};

/// Collects the nodes and rewired inputs that plans add to a graph's dataflow, then builds the new
/// structure in one pass.
class DataflowBuilder {
 public:
  DataflowBuilder(const Graph& graph, const IdVector<NodeId, const Op*>& ops, const Stash& stash)
      : graph_(graph),
        ops_(ops),
        stash_(stash),
        result_(graph),
        is_cloned_(graph.nodes().size(), false),
        twin_of_(graph.values().size()),
        replaced_(graph.values().size()) {}
  DataflowBuilder(const Graph& graph, const IdVector<NodeId, const Op*>& ops,
                  Stash&& stash) = delete;

  /// Clones a forward node into backward. Does nothing if the node has a clone already.
  void clone(NodeId node);
  /// Makes backward read the clone's output. @pre the node was cloned
  void read_clone(NodeId node, std::size_t output);
  /// Evicts the plan's output after its last use in forward, restores the output, and makes
  /// backward read the restored tensor and views of this tensor.
  void evict(const NodePlan& plan, const Eviction& how, AddedKind back);

  Dataflow finish();

 private:
  /// The replacement of each value of the graph; invalid: not replaced.
  using Replacements = IdVector<ValueId, ValueId>;

  /// Adds a node with one input and returns the node's output.
  ValueId add_transfer(NodeId maker, AddedKind kind, ValueId input, ValueId original,
                       const StoredForm& form);
  NodeId add_node(NodeId original, AddedKind kind);
  ValueId add_value(ValueId original, const StoredForm& form);
  void rewire_backward(ValueId value);
  void add_rows();

  const Graph& graph_;
  const IdVector<NodeId, const Op*>& ops_;
  const Stash& stash_;
  Dataflow result_;
  IdVector<NodeId, bool> is_cloned_;
  IdRows<NodeId, ValueId> added_inputs_;   // inputs of added nodes, before inputs are replaced
  IdRows<NodeId, ValueId> added_outputs_;  // outputs of added nodes
  Replacements twin_of_;   // for every output of a cloned node: the output of the clone
  Replacements replaced_;  // for every freed output: the value that backward reads
};

}  // namespace stashscope
