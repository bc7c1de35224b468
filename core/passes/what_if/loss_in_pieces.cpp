// Replaces product and cross-entropy by one operator that never has all scores in memory. (Liger
// Kernel, arXiv 2410.10989; Cut Cross-Entropy, arXiv 2411.09009)

#include "core/passes/what_if/loss_in_pieces.h"

#include "core/ops/rules/loss_rows.h"
#include "core/passes/rewriting/operators.h"
#include "core/passes/what_if/linear_scores.h"

namespace stashscope {

namespace {

bool is_loss(const Node& node) { return is_standard_loss(node) || is_internal_loss(node); }

/// Throws NoLinearScores if the loss cannot be replaced, whatever its scores are.
void require_plain(const Rewriter& graph, NodeId id) {
  const Node& loss = graph.node(id);
  if (!graph.only_first_output_is_read(id)) {
    throw NoLinearScores{"also hands out its log probabilities, which are as large as its scores"};
  }
  const bool ignores = is_internal_loss(loss) && loss.inputs.size() > 3 && loss.inputs[3].valid();
  if (ignores && !graph.scalar(loss.inputs[3])) {
    throw NoLinearScores{"has an ignore_index that is computed and no constant"};
  }
}

void require_normalized(const Node& loss, const LinearScores& scores) {
  if (loss.op_type == "NegativeLogLikelihoodLoss" && !scores.normalized) {
    throw NoLinearScores{"reads scores that are not the logarithm of a softmax"};
  }
}

/// Throws NoLinearScores if the sizes are known and all scores fit into one piece.
void require_pieces(const Rewriter& graph, const Node& loss, const LinearScores& scores,
                    std::int64_t rows) {
  const auto count = element_count(graph.type(loss.inputs[1]));
  const auto given = count ? count->integer() : std::nullopt;
  if (given && *given <= (rows > 0 ? rows : least_default_loss_rows)) {
    throw NoLinearScores{"has only " + std::to_string(*given) + (*given == 1 ? " row" : " rows")};
  }
  const Shape* const weight = graph.shape(scores.weight);
  if (rows > 0 || weight == nullptr) return;
  const auto classes = (*weight)[scores.transposed ? 0 : 1].integer();
  const auto width = (*weight)[scores.transposed ? 1 : 0].integer();
  if (!classes || !width || *classes > *width) return;
  throw NoLinearScores{"has only " + std::to_string(*classes) + " classes for " +
                       std::to_string(*width) +
                       " inputs per row, so that all scores fit into one piece; give the rows of a "
                       "piece to divide them anyway"};
}

/// Inserts the nodes that change the hidden states as the path changes the scores. Returns the
/// hidden states that belong to the result of each node of the path.
std::vector<ValueId> move_to_hidden(Rewriter& graph, const LinearScores& scores) {
  std::vector<ValueId> hidden;
  auto next = scores.moved.begin();
  for (const NodeId id : scores.path) {
    hidden.push_back(hidden.empty() ? scores.hidden : hidden.back());
    if (next == scores.moved.end() || next->place != id) continue;
    Node node = next->node;
    node.inputs[0] = hidden.back();
    if (next->constant_at > 0) {
      node.inputs[next->constant_at] =
          graph.add_constant(node.name + "_numbers", Tensor::int64s(next->constant));
    }
    hidden.back() = graph.insert_before(id, std::move(node), next->type);
    ++next;
  }
  return hidden;
}

Node linear_loss(const Rewriter& graph, const Node& loss, const LinearScores& scores,
                 ValueId hidden, std::int64_t rows) {
  const bool has_weights = loss.inputs.size() > 2 && loss.inputs[2].valid();
  Node node = microsoft_node("LinearCrossEntropyLoss", "",
                             {hidden, scores.weight, loss.inputs[1], scores.bias,
                              has_weights ? loss.inputs[2] : ValueId()});
  while (!node.inputs.back().valid()) node.inputs.pop_back();
  node.outputs = {loss.outputs[0]};
  node.attributes = {{"rows", rows}, {"reduction", loss.attributes.text("reduction", "mean")}};
  if (loss.attributes.has("ignore_index")) {
    node.attributes.set("ignore_index", loss.attributes.integer("ignore_index", 0));
  }
  if (is_internal_loss(loss) && loss.inputs.size() > 3 && loss.inputs[3].valid()) {
    const auto ignored = static_cast<std::int64_t>(*graph.scalar(loss.inputs[3]));
    node.attributes.set("ignore_index", ignored);
  }
  if (scores.transposed) node.attributes.set("transposed", std::int64_t{1});
  if (scores.scale != 1) node.attributes.set("scale", static_cast<float>(scores.scale));
  const ElementType element = graph.type(loss.outputs[0]).element;
  if (element != graph.type(hidden).element) {
    node.attributes.set("output_type", static_cast<std::int64_t>(element));
  }
  return node;
}

TensorType list_of(std::int64_t length) { return {ElementType::int64, Shape{length}, {}}; }

/// Computes the dims of scores from those of the hidden states, which differ in the last axis only.
void read_dims_of_hidden(Rewriter& graph, NodeId id, ValueId hidden) {
  const Node shape = graph.node(id);
  const Shape scores = *graph.shape(shape.inputs[0]);
  const std::int64_t rank = std::ssize(scores);
  const auto number = [&](const std::string& name, std::int64_t item) {
    return graph.add_constant(shape.name + name, Tensor::int64s({item}));
  };
  const auto insert = [&](Node node, std::int64_t length) {
    return graph.insert_before(id, std::move(node), list_of(length));
  };
  const ValueId all = insert(plain_node("Shape", shape.name + "_hidden", {hidden}), rank);
  const ValueId rows = insert(plain_node("Slice", shape.name + "_rows",
                                         {all, number("_first", 0), number("_last", rank - 1)}),
                              rank - 1);
  Node dims = plain_node("Concat", "", {rows, number("_classes", *scores.back().integer())},
                         {{"axis", std::int64_t{0}}});
  replace_dims(graph, id, std::move(dims), rank);
}

/// Makes nodes that read only the dims of the scores compute these dims without the scores, which
/// no node makes any longer.
void redirect_dims(Rewriter& graph, const LinearScores& scores,
                   const std::vector<ValueId>& hidden) {
  for (std::size_t i = scores.path.size(); i-- > 0;) {
    if (graph.is_removed(scores.path[i])) continue;
    const std::vector<NodeId> readers = graph.readers(graph.node(scores.path[i]).outputs[0]);
    for (const NodeId reader : readers) {
      if (reads_only_dims(graph.node(reader))) read_dims_of_hidden(graph, reader, hidden[i]);
    }
  }
}

void replace_loss(Rewriter& graph, NodeId id, std::int64_t rows) {
  require_plain(graph, id);
  const LinearScores scores = linear_scores_of(graph, id);
  require_normalized(graph.node(id), scores);
  require_pieces(graph, graph.node(id), scores, rows);
  const std::vector<ValueId> hidden = move_to_hidden(graph, scores);
  graph.replace(id, linear_loss(graph, graph.node(id), scores, hidden.back(), rows));
  redirect_dims(graph, scores, hidden);
}

}  // namespace

std::size_t compute_loss_in_pieces(Rewriter& graph, std::int64_t rows,
                                   std::vector<WhatIfStop>& stopped) {
  std::size_t replaced = 0;
  for (const NodeId id : IdRange<NodeId>(graph.node_count())) {
    if (graph.is_removed(id) || !is_loss(graph.node(id))) continue;
    try {
      replace_loss(graph, id, rows);
      ++replaced;
    } catch (const NoLinearScores& none) {
      stopped.push_back({describe(graph.node(id), id), none.reason});
    }
  }
  return replaced;
}

}  // namespace stashscope
