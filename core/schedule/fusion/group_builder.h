#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "core/schedule/fusion/fusions.h"

namespace stashscope {

using Merge = std::pair<NodeId, NodeId>;  ///< that the groups of two nodes become one

/// Compilers bound a kernel's size, too (PyTorch's Inductor: max_fusion_size, of this default).
constexpr std::size_t most_fused_nodes = 64;

/// The pointwise nodes of a step, and which of them may run as one: those of equal dims, in the
/// same pass (forward or backward), that the user does not want apart.
class FusableNodes {
 public:
  explicit FusableNodes(const FusionInput& input);

  bool contains(NodeId node) const { return kind_[node] >= 0; }
  /// Whether neither dims nor passes are in the way.
  bool fit(NodeId a, NodeId b) const { return contains(a) && kind_[a] == kind_[b]; }
  /// A number for all that nodes of one group have in common; negative for other nodes.
  int kind(NodeId node) const { return kind_[node]; }
  const std::vector<Merge>& apart() const { return apart_; }
  /// In which a graph's own nodes have the file's order.
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

  /// Not when they are one group already, would be more than most_fused_nodes, or the user wants
  /// two nodes apart.
  bool can_merge(NodeId a, NodeId b) const;
  /// False, and nothing changes, when they cannot be merged.
  bool merge(NodeId a, NodeId b);
  bool are_together(NodeId a, NodeId b) const { return root_[a] == root_[b]; }
  const std::vector<NodeId>& members(NodeId node) const { return members_[root_[node]]; }

  FusedGroups groups() const;

 private:
  bool are_apart(NodeId a, NodeId b) const;

  const FusableNodes& nodes_;
  IdVector<NodeId, NodeId> root_;
  IdVector<NodeId, std::vector<NodeId>> members_;
};

/// Whether the nodes can be brought into an order that keeps the groups together.
bool has_order(const Topology& topology, const FusedGroups& groups);

/// The merges of each pointwise node with the pointwise nodes that make its operands, without those
/// that would leave groups waiting for each other.
std::vector<Merge> dataflow_merges(const FusionInput& input, const FusableNodes& nodes);

/// The merges of neighbours among pointwise nodes that are equally far from the step's inputs,
/// counted in nodes.
std::vector<Merge> horizontal_merges(const FusionInput& input, const FusableNodes& nodes);

FusedGroups dataflow_groups(const FusionInput& input);
FusedGroups horizontal_groups(const FusionInput& input);
/// The merges of both, without those that raise the peak.
FusedGroups memory_aware_groups(const FusionInput& input);

}  // namespace stashscope
