#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "core/schedule/fusion/fusions.h"

namespace stashscope {

using Merge = std::pair<NodeId, NodeId>;  ///< joins the groups of two nodes

/// Largest number of nodes in one kernel: the default of max_fusion_size in PyTorch's Inductor.
constexpr std::size_t most_fused_nodes = 64;

/// The pointwise nodes of a step, and which of them may be fused: nodes of equal shape in the same
/// pass (forward or backward) that the user did not separate.
class FusableNodes {
 public:
  explicit FusableNodes(const FusionInput& input);

  bool contains(NodeId node) const { return kind_[node] >= 0; }
  /// Whether both nodes can be fused, have equal shapes and belong to the same pass.
  bool fit(NodeId a, NodeId b) const { return contains(a) && kind_[a] == kind_[b]; }
  /// Equal for nodes that may share a group; negative for nodes that cannot be fused.
  int kind(NodeId node) const { return kind_[node]; }
  const std::vector<Merge>& apart() const { return apart_; }
  /// All nodes in `topological_order`: in file order, except that a node comes after the clones
  /// that it reads.
  const std::vector<NodeId>& order() const { return order_; }

 private:
  void find_kinds(const FusionInput& input);

  std::vector<NodeId> order_;
  IdVector<NodeId, int> kind_;
  std::vector<Merge> apart_;
};

/// Groups that grow by merges.
class GroupBuilder {
 public:
  GroupBuilder(const FusableNodes& nodes, const Topology& topology);
  GroupBuilder(FusableNodes&& nodes, const Topology& topology) = delete;

  /// False if both nodes already share a group, if the merged group would exceed most_fused_nodes,
  /// or if the user separated two of its nodes.
  bool can_merge(NodeId a, NodeId b) const;
  /// Returns false and changes nothing if the nodes cannot be merged.
  bool merge(NodeId a, NodeId b);
  bool are_together(NodeId a, NodeId b) const { return root_[a] == root_[b]; }
  /// The member that stands for the group of a node.
  NodeId root(NodeId node) const { return root_[node]; }
  /// Calls `visit` for each member of the group of a node.
  template <class Visit>
  void for_each_member(NodeId node, Visit visit) const {
    NodeId member = node;
    do {
      visit(member);
      member = next_[member];
    } while (member != node);
  }

  FusedGroups groups() const;

 private:
  bool are_apart(NodeId a, NodeId b) const;

  const FusableNodes& nodes_;
  IdVector<NodeId, NodeId> root_;
  IdVector<NodeId, std::size_t> size_;  ///< number of nodes in the group of a root
  IdVector<NodeId, NodeId> next_;       ///< next member; the members of a group form a ring
};

/// Whether a valid order exists that keeps the groups together.
bool has_order(const Topology& topology, const FusedGroups& groups);

/// Returns a merge of each pointwise node with each pointwise node that makes one of its operands.
/// Leaves out merges that would create a cycle between groups.
std::vector<Merge> dataflow_merges(const FusionInput& input, const FusableNodes& nodes);

/// Returns a merge of each pointwise node with the next pointwise node of the same depth
/// (`depths_of`), pass and shape. Clones are merged only with clones.
std::vector<Merge> horizontal_merges(const FusionInput& input, const FusableNodes& nodes);

FusedGroups dataflow_groups(const FusionInput& input);
FusedGroups horizontal_groups(const FusionInput& input);
/// Groups from both kinds of merges, without merges that raise the peak.
FusedGroups memory_aware_groups(const FusionInput& input);

}  // namespace stashscope
