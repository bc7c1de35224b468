#include "core/passes/what_if/sparse/followed_mask.h"

#include <algorithm>
#include <iterator>

namespace stashscope {

namespace {

/// The values that depend on the elements of `source`.
std::set<ValueId> dependent_values(const Rewriter& graph, ValueId source) {
  std::set<ValueId> found = {source};
  const auto depends = [&](ValueId value) { return found.contains(value); };
  for (std::size_t i = 0; i < graph.node_count(); ++i) {
    const Node& node = graph.node(NodeId(i));
    if (graph.is_removed(NodeId(i)) || is_one_of(node, {"Shape", "Size"})) continue;
    if (std::ranges::any_of(node.inputs, depends) ||
        std::ranges::any_of(node.captured_inputs, depends)) {
      std::ranges::copy_if(node.outputs, std::inserter(found, found.end()), &ValueId::valid);
    }
  }
  return found;
}

}  // namespace

FollowedMask follow_mask(const Rewriter& graph, const TokenSizes& sizes, ValueId mask) {
  FollowedMask followed = {mask, TokenFlow(graph, sizes, nullptr), {}};
  if (!mask.valid()) return followed;
  followed.flow.start(mask, {{AxisRole::batch, AxisRole::key}});
  followed.flow.follow();
  followed.dependent = dependent_values(graph, mask);
  return followed;
}

}  // namespace stashscope
