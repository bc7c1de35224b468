// A loss that ignores some labels needs no scores at their positions. This pass selects the
// positions of all other labels, and `move_upstream` moves the selection above the nodes that
// compute the scores. (ONNX Runtime's compute optimizer does the same.)

#include "core/passes/graph_pass.h"
#include "core/passes/rewriting/operators.h"

namespace stashscope {

namespace {

/// The label that the loss ignores; nothing when none is known.
std::optional<std::int64_t> ignored_label(const Rewriter& graph, const Node& loss) {
  if (loss.attributes.has("ignore_index")) return loss.attributes.integer("ignore_index", 0);
  if (loss.inputs.size() < 4 || !loss.inputs[3].valid()) return std::nullopt;
  const auto number = graph.integers(loss.inputs[3]);
  return number && number->size() == 1 ? std::optional(number->front()) : std::nullopt;
}

bool is_cross_entropy(const Node& node) {
  return is(node, "SoftmaxCrossEntropyLoss") || is_internal_loss(node);
}

/// Whether the rows of a value are positions of sequences. This is assumed if a Reshape merged
/// several axes to make the rows.
bool is_flattened(const Rewriter& graph, ValueId id) {
  for (NodeId maker = graph.maker(id); maker.valid(); maker = graph.maker(id)) {
    const Node& node = graph.node(maker);
    if (node.op_type != "Reshape" && node.op_type != "Cast") return false;
    const Shape* const from = graph.shape(node.inputs[0]);
    const Shape* const to = graph.shape(id);
    if (from == nullptr || to == nullptr) return false;
    if (from->size() > to->size()) return true;
    id = node.inputs[0];
  }
  return false;
}

/// Whether the pass can reduce the rows of a loss. This needs four conditions. The type of the
/// labels can hold the ignored label. Each row of scores is a position of a sequence and has one
/// label. The loss is the mean or the sum over the rows. Only the first output of the loss is read.
bool can_choose_rows(const Rewriter& graph, NodeId id, std::int64_t ignored) {
  const Node& loss = graph.node(id);
  const Shape* const scores = graph.shape(loss.inputs[0]);
  const Shape* const labels = graph.shape(loss.inputs[1]);
  if (!can_hold(graph.type(loss.inputs[1]).element, ignored)) return false;
  if (scores == nullptr || labels == nullptr || scores->size() != 2 || labels->size() != 1) {
    return false;
  }
  if (loss.attributes.text("reduction", "mean") == "none") return false;
  return graph.only_first_output_is_read(id) &&
         (is_flattened(graph, loss.inputs[0]) || is_flattened(graph, loss.inputs[1]));
}

ValueId insert(Rewriter& graph, NodeId place, std::string type, std::vector<ValueId> inputs,
               std::string name, TensorType made) {
  return graph.insert_before(place, plain_node(std::move(type), std::move(name), std::move(inputs)),
                             std::move(made));
}

/// The indices of the rows whose label is not ignored, as a tensor of one axis. Shape inference
/// derives the size of the axis.
ValueId labelled_rows(Rewriter& graph, NodeId loss, std::int64_t ignored) {
  const ValueId labels = graph.node(loss).inputs[1];
  const TensorType flags = {ElementType::boolean, *graph.shape(labels), {}};
  const TensorType unknown = {ElementType::int64, std::nullopt, {}};
  const ValueId ignored_index = graph.add_constant(
      "ignored_label", Tensor::of_integers(graph.type(labels).element, {}, {ignored}));
  const ValueId is_ignored =
      insert(graph, loss, "Equal", {labels, ignored_index}, "is_ignored", flags);
  const ValueId has_label = insert(graph, loss, "Not", {is_ignored}, "has_label", flags);
  const ValueId places = insert(graph, loss, "NonZero", {has_label}, "labelled_positions", unknown);
  const ValueId one_axis = graph.add_constant("one_axis", Tensor::int64s({-1}));
  return insert(graph, loss, "Reshape", {places, one_axis}, "labelled_rows", unknown);
}

}  // namespace

std::size_t label_positions(Rewriter& graph, const PassContext&) {
  std::size_t found = 0;
  const std::size_t nodes = graph.node_count();
  for (std::size_t i = 0; i < nodes; ++i) {
    const NodeId id(i);
    if (graph.is_removed(id) || !is_cross_entropy(graph.node(id))) continue;
    const auto ignored = ignored_label(graph, graph.node(id));
    if (!ignored || !can_choose_rows(graph, id, *ignored)) continue;
    const ValueId rows = labelled_rows(graph, id, *ignored);
    for (const std::size_t operand : {0U, 1U}) {
      const ValueId whole = graph.node(id).inputs[operand];
      const TensorType type = {graph.type(whole).element, std::nullopt, {}};
      const std::string name = operand == 0 ? "labelled_scores" : "labels_given";
      graph.set_input(id, operand, insert(graph, id, "Gather", {whole, rows}, name, type));
    }
    ++found;
  }
  return found;
}

}  // namespace stashscope
