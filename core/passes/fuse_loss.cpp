// Fuses the logarithm of a softmax with the loss that reads it.

#include "core/passes/graph_pass.h"
#include "core/passes/rewriting/pattern.h"

namespace stashscope {

namespace {

using namespace pattern;

/// Whether the softmax runs along axis 1 only, the axis of the classes.
bool is_along_classes(const Rewriter& graph, const Match& match, ValueId scores) {
  const Shape* const shape = graph.shape(scores);
  if (shape == nullptr || shape->size() < 2) return false;
  const auto rank = static_cast<std::int64_t>(shape->size());
  for (const NodeId id : match.nodes) {
    const Node& node = graph.node(id);
    if (node.op_type != "LogSoftmax" && node.op_type != "Softmax") continue;
    const bool single_axis = graph.opset() >= 13;
    const std::int64_t axis = node.attributes.integer("axis", single_axis ? -1 : 1);
    return (axis < 0 ? axis + rank : axis) == 1 && (single_axis || rank == 2);
  }
  return false;
}

std::optional<Node> cross_entropy(const Rewriter& graph, const Match& match) {
  if (!is_along_classes(graph, match, match["scores"])) return std::nullopt;
  Node node = graph.node(match.last);
  node.op_type = "SoftmaxCrossEntropyLoss";
  node.inputs[0] = match["scores"];
  return node;
}

}  // namespace

std::size_t fuse_softmax_cross_entropy(Rewriter& graph, const PassContext&) {
  const Pattern direct = op("LogSoftmax", {any("scores")});
  const Pattern in_steps = op("Log", {op("Softmax", {any("scores")})});
  return fuse(graph, {{op("NegativeLogLikelihoodLoss", {direct, any("labels")}), cross_entropy},
                      {op("NegativeLogLikelihoodLoss", {in_steps, any("labels")}), cross_entropy}});
}

}  // namespace stashscope
