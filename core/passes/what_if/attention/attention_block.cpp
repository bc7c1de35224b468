// Recognizes attention in the forms that exporters write. (Vaswani et al., arXiv 1706.03762;
// grouped heads: Ainslie et al., arXiv 2305.13245)

#include "core/passes/what_if/attention/attention_block.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "core/graph/dataflow.h"
#include "core/ops/families/dropout.h"
#include "core/passes/what_if/attention/attention_operand.h"

namespace stashscope {

namespace {

bool is_cast(const Rewriter& graph, const Node& node) {
  return (is(node, "Cast") || is(node, "CastLike")) &&
         is_floating(graph.type(node.inputs[0]).element) &&
         is_floating(graph.type(node.outputs[0]).element);
}

/// Whether a Reshape changes only the axes before the last two.
bool keeps_last_two(const Rewriter& graph, const Node& node) {
  const Shape* const from = graph.shape(node.inputs[0]);
  const Shape* const to = graph.shape(node.outputs[0]);
  if (from == nullptr || to == nullptr || from->size() < 2 || to->size() < 2) return false;
  return std::equal(from->end() - 2, from->end(), to->end() - 2);
}

bool is_changed_shape(const Rewriter& graph, const Node& node) {
  return *graph.shape(node.inputs[0]) != *graph.shape(node.outputs[0]);
}

/// Whether input `index` of a node has the shape of the node's result, so that it is not broadcast.
bool is_whole(const Rewriter& graph, const Node& node, std::size_t index) {
  const Shape* const from = graph.shape(node.inputs[index]);
  const Shape* const to = graph.shape(node.outputs[0]);
  return from != nullptr && to != nullptr && *from == *to;
}

/// The inputs through which a node may hand on the scores.
std::vector<std::size_t> score_inputs(const Rewriter& graph, const Node& node) {
  if (is(node, "Identity") || is(node, "Tanh") || is_cast(graph, node)) return {0};
  if (is(node, "Reshape")) {
    return keeps_last_two(graph, node) ? std::vector<std::size_t>{0} : std::vector<std::size_t>();
  }
  std::vector<std::size_t> candidates;
  if (is(node, "Mul") || is(node, "Add")) candidates = {0, 1};
  if (is(node, "Div") || is(node, "Sub")) candidates = {0};
  if (is(node, "Where")) candidates = {1, 2};
  std::erase_if(candidates, [&](std::size_t index) { return !is_whole(graph, node, index); });
  return candidates;
}

/// The most nodes between the softmax and either of the two products.
constexpr int most_steps = 16;

/// Builds the block around one softmax.
class BlockReader {
 public:
  BlockReader(const Rewriter& graph, NodeId softmax) : graph_(graph) { block_.softmax = softmax; }

  /// Whether the result of the softmax is the left operand of a product.
  bool is_attention() const {
    ValueId value = graph_.node(block_.softmax).outputs[0];
    for (int i = 0; i < most_steps; ++i) {
      std::optional<ValueId> next;
      for (const NodeId reader : graph_.readers(value)) {
        const Node& node = graph_.node(reader);
        if (is(node, "MatMul") && node.inputs[0] == value) return true;
        const bool hands_on = is(node, "Identity") || is(node, "Dropout") || is(node, "Reshape") ||
                              is_cast(graph_, node);
        if (hands_on && node.inputs[0] == value) next = node.outputs[0];
      }
      if (!next) return false;
      value = *next;
    }
    return false;
  }

  /// Nothing if the block cannot be one node; then `stop` says why.
  std::optional<AttentionBlock> read() {
    if (!runs_over_keys() || !read_probabilities() || !read_scores() || !read_operands()) {
      return std::nullopt;
    }
    take_transposition(graph_, block_);
    return block_;
  }

  const WhatIfStop& stop() const { return stop_; }

 private:
  bool stopped(NodeId node, std::string reason) {
    stop_ = {describe(graph_.node(node), node), std::move(reason)};
    return false;
  }

  bool runs_over_keys() {
    const Node& node = graph_.node(block_.softmax);
    const Shape* const shape = graph_.shape(node.inputs[0]);
    if (shape == nullptr) return stopped(block_.softmax, "has scores of an unknown shape");
    const auto rank = static_cast<std::int64_t>(shape->size());
    const std::int64_t axis = node.attributes.integer("axis", graph_.opset() >= 13 ? -1 : 1);
    if ((axis < 0 ? axis + rank : axis) == rank - 1) return true;
    return stopped(block_.softmax, "does not run over the last axis");
  }

  /// Whether `reader` alone reads a value.
  bool is_inner(ValueId value, NodeId maker, NodeId reader) {
    if (graph_.is_only_for(value, reader)) return true;
    if (graph_.keeps(value)) {
      return stopped(maker, "makes a tensor that an output or a subgraph needs whole");
    }
    for (const NodeId other : graph_.readers(value)) {
      if (other == reader) continue;
      return stopped(maker, "is also read by " + describe(graph_.node(other), other));
    }
    return false;
  }

  /// Walks from the softmax down to the product with the values.
  bool read_probabilities() {
    NodeId at = block_.softmax;
    for (int i = 0; i < most_steps; ++i) {
      const ValueId value = graph_.node(at).outputs[0];
      if (graph_.readers(value).empty()) return stopped(at, "makes an output of the model");
      const NodeId reader = graph_.readers(value)[0];
      if (!is_inner(value, at, reader)) return false;
      const Node& node = graph_.node(reader);
      if (is(node, "MatMul") && node.inputs[0] == value) {
        block_.last = reader;
        return true;
      }
      if (is(node, "Dropout") ? !read_dropout(reader) : !hands_on(reader)) return false;
      at = reader;
    }
    return stopped(at, "is too far from the softmax");
  }

  bool hands_on(NodeId id) {
    const Node& node = graph_.node(id);
    if (is(node, "Identity") || is_cast(graph_, node)) return true;
    if (is(node, "Reshape") && keeps_last_two(graph_, node)) return true;
    return stopped(id, "changes the probabilities between the softmax and the values");
  }

  bool read_dropout(NodeId id) {
    const Node& node = graph_.node(id);
    if (!graph_.only_first_output_is_read(id)) return stopped(id, "has a mask that is read");
    std::optional<double> ratio = double{node.attributes.real("ratio", 0.5F)};
    std::optional<double> trains = old_dropout_trains(node.attributes, graph_.opset()) ? 1 : 0;
    if (graph_.opset() >= 12) {
      trains = has(node, 2) ? graph_.scalar(node.inputs[2]) : 0;
      ratio = has(node, 1) ? graph_.scalar(node.inputs[1]) : 0.5;
    }
    if (!ratio || !trains)
      return stopped(id, "has a share or a mode that is not known before the run");
    if (*trains == 0 || *ratio == 0) return true;
    if (block_.dropped_share != 0) return stopped(id, "is a second dropout");
    block_.dropped_share = *ratio;
    block_.dropout_seed = node.attributes.has("seed")
                              ? node.attributes.integer("seed", 0)
                              : seed_for(graph_.value(node.outputs[0]).name);
    return true;
  }

  static bool has(const Node& node, std::size_t input) {
    return input < node.inputs.size() && node.inputs[input].valid();
  }

  /// Walks from the softmax up to the product of queries and keys.
  bool read_scores() {
    NodeId reader = block_.softmax;
    ValueId value = graph_.node(reader).inputs[0];
    for (int i = 0; i < most_steps; ++i) {
      const NodeId maker = graph_.maker(value);
      if (!maker.valid()) return stopped(reader, "reads scores that no product makes");
      if (!is_inner(value, maker, reader)) return false;
      const Node& node = graph_.node(maker);
      if (is(node, "MatMul")) {
        product_ = maker;
        std::ranges::reverse(block_.steps);
        return true;
      }
      const auto input = score_input(maker);
      if (!input)
        return stopped(maker, "is no step that attention can have between product and softmax");
      if (std::ranges::count(node.inputs, node.inputs[*input]) > 1) {
        return stopped(maker, "reads the scores twice");
      }
      add_step(node, *input);
      reader = maker;
      value = node.inputs[*input];
    }
    return stopped(reader, "is too far from the product of queries and keys");
  }

  /// The input of a node that carries the scores. A bias may come from a product, too, so this is
  /// the input with the fewest nodes between a product and the input.
  std::optional<std::size_t> score_input(NodeId id) const {
    std::optional<std::size_t> best;
    int least = most_steps;
    for (const std::size_t input : score_inputs(graph_, graph_.node(id))) {
      const int distance = distance_to_product(graph_.node(id).inputs[input], least);
      if (distance < least) best = input;
      least = std::min(least, distance);
    }
    return best;
  }

  /// The number of nodes between the nearest product and a value, but no more than `most`.
  int distance_to_product(ValueId value, int most) const {
    const NodeId maker = graph_.maker(value);
    if (!maker.valid() || most <= 0) return most;
    const Node& node = graph_.node(maker);
    if (is(node, "MatMul")) return 0;
    for (const std::size_t input : score_inputs(graph_, node)) {
      most = std::min(most, 1 + distance_to_product(node.inputs[input], most - 1));
    }
    return most;
  }

  void add_step(const Node& node, std::size_t scores) {
    if (is(node, "Identity") || is_cast(graph_, node)) return;
    if (is(node, "Reshape") && !is_changed_shape(graph_, node)) return;
    AttentionStep step{node.op_type, {}};
    if (is(node, "Where") && scores == 2) step.type = "WhereNot";
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      if (i != scores) step.operands.push_back(node.inputs[i]);
    }
    block_.steps.push_back(std::move(step));
  }

  bool read_operands() {
    const Node& product = graph_.node(product_);
    const Node& result = graph_.node(block_.last);
    const std::pair<NodeId, ValueId> operands[] = {{product_, product.inputs[0]},
                                                   {product_, product.inputs[1]},
                                                   {block_.last, result.inputs[1]}};
    for (const auto& [reader, operand] : operands) {
      const Shape* const shape = graph_.shape(operand);
      if (shape == nullptr || shape->size() < 2) {
        return stopped(reader, "has an operand that is no stack of matrices");
      }
    }
    if (graph_.type(product.inputs[0]).element != graph_.type(result.inputs[1]).element) {
      return stopped(block_.last, "multiplies values of another type than the queries");
    }
    block_.query = seen_through(graph_, operand_of(graph_, product.inputs[0]));
    block_.key = seen_through(graph_, transposed(operand_of(graph_, product.inputs[1])));
    block_.value = seen_through(graph_, operand_of(graph_, result.inputs[1]));
    block_.key = before_repetition(graph_, block_.key);
    block_.value = before_repetition(graph_, block_.value);
    return true;
  }

  const Rewriter& graph_;
  AttentionBlock block_;
  NodeId product_;
  WhatIfStop stop_;
};

}  // namespace

void take_transposition(const Rewriter& graph, AttentionBlock& block) {
  NodeId at = block.last;
  ValueId value = graph.node(at).outputs[0];
  while (graph.readers(value).size() == 1 && !graph.keeps(value)) {
    at = graph.readers(value)[0];
    const Node& node = graph.node(at);
    if (!is(node, "Identity") && !is(node, "Transpose")) return;
    value = node.outputs[0];
    if (is(node, "Identity")) continue;
    block.output_perm = node.attributes.integers("perm");
    if (!block.output_perm.empty()) block.last = at;
    return;
  }
}

std::vector<NodeId> attention_softmaxes(const Rewriter& graph) {
  std::vector<NodeId> found;
  for (const NodeId id : IdRange<NodeId>(graph.node_count())) {
    if (graph.is_removed(id) || !is(graph.node(id), "Softmax")) continue;
    if (BlockReader(graph, id).is_attention()) found.push_back(id);
  }
  return found;
}

std::optional<AttentionBlock> read_attention_block(const Rewriter& graph, NodeId softmax,
                                                   WhatIfStop& stop) {
  BlockReader reader(graph, softmax);
  std::optional<AttentionBlock> block = reader.read();
  if (!block) stop = reader.stop();
  return block;
}

}  // namespace stashscope
