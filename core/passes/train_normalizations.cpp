// Puts batch normalizations that were exported for inference back into training mode.

#include "core/ops/families/normalization.h"
#include "core/passes/graph_pass.h"

namespace stashscope {

namespace {

/// Adds four outputs. Before opset 14, a node in training mode must have all five outputs: the
/// result, the running statistics and the statistics of the batch.
void add_statistics(Rewriter& graph, NodeId id) {
  const std::string name = graph.value(graph.node(id).outputs[0]).name;
  for (const char* statistic : {"mean", "variance", "batch_mean", "batch_variance"}) {
    const TensorType type = graph.type(graph.node(id).inputs[3]);
    graph.add_output(id, name + "_" + statistic, type);
  }
}

}  // namespace

std::size_t train_normalizations(Rewriter& graph, const PassContext&) {
  std::size_t changed = 0;
  for (const NodeId id : IdRange<NodeId>(graph.node_count())) {
    const Node& node = graph.node(id);
    const bool infers = !graph.is_removed(id) && node.domain.empty() &&
                        node.op_type == "BatchNormalization" && node.inputs.size() == 5 &&
                        !batch_norm_trains(node, graph.opset());
    if (!infers) continue;
    if (graph.opset() >= 14) {
      graph.set_attribute(id, "training_mode", std::int64_t{1});
    } else {
      add_statistics(graph, id);
    }
    ++changed;
  }
  return changed;
}

}  // namespace stashscope
