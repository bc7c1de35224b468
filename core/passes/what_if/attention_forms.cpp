#include "core/passes/what_if/attention_forms.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/ops/attention/attention_shapes.h"
#include "core/ops/rules/backward_builder.h"
#include "core/passes/what_if/attention_block.h"

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

void add_perm(const char* name, const std::vector<std::int64_t>& perm, Node& node) {
  if (!std::ranges::is_sorted(perm)) node.attributes.set(name, Integers(perm));
}

Node fused(const AttentionBlock& block, const std::string& form) {
  Node node;
  node.domain = microsoft_domain;
  node.op_type = "FusedAttention";
  node.attributes.set("form", form);
  add_perm("query_perm", block.query.perm, node);
  add_perm("key_perm", block.key.perm, node);
  add_perm("value_perm", block.value.perm, node);
  add_perm("output_perm", block.output_perm, node);
  node.inputs = {block.query.value, block.key.value, block.value.value};
  Strings steps;
  for (const AttentionStep& step : block.steps) {
    steps.push_back(step.type);
    node.inputs.insert(node.inputs.end(), step.operands.begin(), step.operands.end());
  }
  if (!steps.empty()) node.attributes.set("steps", std::move(steps));
  if (block.dropped_share > 0) {
    node.attributes.set("dropout", static_cast<float>(block.dropped_share));
    node.attributes.set("dropout_seed", block.dropout_seed);
  }
  return node;
}

/// Whether the node makes a tensor of the shape that the block makes.
bool makes_same_shape(const Rewriter& graph, const AttentionBlock& block, const Node& node) {
  const Shape* const wanted = graph.shape(graph.node(block.last).outputs[0]);
  const AttentionShapes shapes =
      attention_shapes(node.attributes, *graph.shape(node.inputs[0]), *graph.shape(node.inputs[1]),
                       *graph.shape(node.inputs[2]));
  return wanted != nullptr && permuted(node.attributes, "output_perm", shapes.result()) == *wanted;
}

}  // namespace

/// Reads each block only after the previous block has been replaced, because a block may take in a
/// transposition that the next block would look through.
void choose_attention(Rewriter& graph, WhatIfResult& result) {
  for (const NodeId softmax : attention_softmaxes(graph)) {
    WhatIfStop stop;
    const auto block = read_attention_block(graph, softmax, stop);
    std::optional<Node> node;
    if (block) node = fused(*block, result.value);
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

std::string attention_form(const std::string& text) {
  if (find_form(text) != nullptr) return text;
  std::vector<std::string> names;
  for (const Form& each : forms) names.emplace_back(each.name);
  fail_usage("attention=" + printable(text), "is no form of attention",
             "choose among " + join(names, ", "));
}

std::string attention_words(const std::string& form) { return std::string(find_form(form)->words); }

}  // namespace stashscope
