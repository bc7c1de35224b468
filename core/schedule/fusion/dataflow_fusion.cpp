#include "core/schedule/fusion/group_builder.h"

namespace stashscope {

namespace {

/// Merges groups node by node, in the order of the nodes. Groups contain only nodes up to the
/// current node, so no path from a later node leads back into a group.
class DataflowFusion {
 public:
  DataflowFusion(const FusionInput& input, const FusableNodes& nodes)
      : topology_(input.step.dataflow.topology),
        nodes_(nodes),
        builder_(nodes, topology_),
        position_(topology_.nodes(), 0),
        seen_by_(topology_.nodes(), 0) {
    for (std::size_t i = 0; i < nodes.order().size(); ++i) position_[nodes.order()[i]] = i;
  }

  std::vector<Merge> merges() {
    for (const NodeId node : nodes_.order()) {
      for (const ValueId input : topology_.inputs[node]) {
        const NodeId maker = input.valid() ? topology_.producer[input] : NodeId();
        if (maker.valid() && nodes_.fit(maker, node)) try_merge(maker, node);
      }
    }
    return std::move(merges_);
  }

 private:
  void try_merge(NodeId maker, NodeId node) {
    if (!builder_.can_merge(maker, node) || leads_around(maker, node)) return;
    builder_.merge(maker, node);
    merges_.emplace_back(maker, node);
  }

  /// Whether a path from one group to the other leads through a node outside both.
  bool leads_around(NodeId a, NodeId b) {
    return leads_through_others(a, b) || leads_through_others(b, a);
  }

  bool leads_through_others(NodeId from, NodeId to) {
    ++walk_;
    last_ = 0;
    for (const NodeId node : builder_.members(from)) last_ = std::max(last_, position_[node]);
    for (const NodeId node : builder_.members(to)) last_ = std::max(last_, position_[node]);
    stack_.clear();
    for (const NodeId node : builder_.members(from)) seen_by_[node] = walk_;
    for (const NodeId node : builder_.members(from)) {
      visit_readers(node, [&](NodeId reader) { return builder_.are_together(reader, to); });
    }
    while (!stack_.empty()) {
      const NodeId node = stack_.back();
      stack_.pop_back();
      if (builder_.are_together(node, to)) return true;
      for (const NodeId member : builder_.members(node)) {
        seen_by_[member] = walk_;
        visit_readers(member, [](NodeId) { return false; });
      }
    }
    return false;
  }

  template <class Skip>
  void visit_readers(NodeId node, Skip skip) {
    for (const ValueId output : topology_.outputs[node]) {
      for (const NodeId reader : topology_.readers[output]) {
        if (seen_by_[reader] == walk_ || position_[reader] > last_ || skip(reader)) continue;
        seen_by_[reader] = walk_;
        stack_.push_back(reader);
      }
    }
  }

  const Topology& topology_;
  const FusableNodes& nodes_;
  GroupBuilder builder_;
  IdVector<NodeId, std::size_t> position_;
  IdVector<NodeId, std::size_t> seen_by_;  ///< the last walk that visited the node
  std::size_t walk_ = 0;
  std::size_t last_ = 0;
  std::vector<NodeId> stack_;
  std::vector<Merge> merges_;
};

}  // namespace

std::vector<Merge> dataflow_merges(const FusionInput& input, const FusableNodes& nodes) {
  return DataflowFusion(input, nodes).merges();
}

FusedGroups dataflow_groups(const FusionInput& input) {
  const FusableNodes nodes(input);
  GroupBuilder builder(nodes, input.step.dataflow.topology);
  for (const auto& [maker, reader] : dataflow_merges(input, nodes)) builder.merge(maker, reader);
  return builder.groups();
}

}  // namespace stashscope
