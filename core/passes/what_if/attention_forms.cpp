#include "core/passes/what_if/attention_forms.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/ops/attention/attention_shapes.h"
#include "core/passes/what_if/attention/attention_block.h"
#include "core/passes/what_if/attention/fused_attentions.h"

namespace stashscope {

namespace {

struct Form {
  std::string_view name;
  std::string_view words;
};

constexpr std::string_view decomposed = "decomposed";
constexpr std::array forms = {
    Form{decomposed, "Attention step by step"},
    Form{"recomputed", "Recomputed attention"},
    Form{"efficient", "Memory-efficient attention"},
    Form{"flash", "Flash attention"},
};

const Form* find_form(const std::string& name) {
  const auto* const found = std::ranges::find(forms, name, &Form::name);
  return found == forms.end() ? nullptr : found;
}

/// Whether the node makes a tensor of the shape that the block makes.
bool makes_same_shape(const Rewriter& graph, const AttentionBlock& block, const Node& node) {
  const Shape* const wanted = graph.shape(graph.node(block.last).outputs[0]);
  const AttentionShapes shapes =
      attention_shapes(node.attributes, *graph.shape(node.inputs[0]), *graph.shape(node.inputs[1]),
                       *graph.shape(node.inputs[2]));
  return wanted != nullptr && permuted(node.attributes, "output_perm", shapes.result()) == *wanted;
}

/// Reads each block only after the previous block has been replaced, because a block may take in a
/// transposition that the next block would look through.
void choose_form_of_blocks(Rewriter& graph, WhatIfResult& result) {
  for (const NodeId softmax : attention_softmaxes(graph)) {
    WhatIfStop stop;
    const auto block = read_attention_block(graph, softmax, stop);
    std::optional<Node> node;
    if (block) node = fused_attention_node(*block, result.value);
    if (node && !makes_same_shape(graph, *block, *node)) {
      stop = {describe(graph.node(softmax), softmax),
              "has scores or probabilities that are reshaped but not reshaped back"};
      node.reset();
    }
    if (!node) {
      result.stopped_by.push_back(std::move(stop));
      continue;
    }
    ++result.found;
    if (result.value == decomposed) continue;
    graph.replace(block->last, *std::move(node));
    ++result.changed;
  }
}

void choose_form_of_nodes(Rewriter& graph, const std::vector<NodeId>& nodes, WhatIfResult& result) {
  NodeWriter writer(graph);
  const bool is_plain = result.value == decomposed;
  const auto form = is_plain ? std::nullopt : std::optional(result.value);
  for (const NodeId id : nodes) {
    if (graph.is_removed(id)) continue;
    try {
      result.changed += choose_form_of_node(writer, id, form) ? 1 : 0;
      ++result.found;
    } catch (const AttentionStop& stop) {
      result.stopped_by.push_back({describe(graph.node(id), id), stop.reason});
      writer.forget();
    }
  }
}

}  // namespace

void choose_attention(Rewriter& graph, const std::vector<ValueId>& /*losses*/,
                      WhatIfResult& result) {
  const std::vector<NodeId> nodes = fused_attentions(graph);
  choose_form_of_blocks(graph, result);
  choose_form_of_nodes(graph, nodes, result);
}

std::string attention_form(const std::string& text) {
  if (find_form(text) != nullptr) return text;
  std::vector<std::string> names;
  names.reserve(std::size(forms));
  for (const Form& each : forms) names.emplace_back(each.name);
  fail_usage("attention=" + printable(text), "is no form of attention",
             "choose among " + join(names, ", "));
}

std::string attention_words(const std::string& form) { return std::string(find_form(form)->words); }

}  // namespace stashscope
