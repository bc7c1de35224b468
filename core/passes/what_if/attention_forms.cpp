#include "core/passes/what_if/attention_forms.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/base/error.h"
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
    Form{"recomputed", "Attention that stashes its operands only"},
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

}  // namespace

void choose_attention(Rewriter& graph, WhatIfResult& result) {
  AttentionBlocks blocks = find_attention_blocks(graph);
  result.found = blocks.found.size();
  if (result.value == decomposed) return;
  result.stopped_by = std::move(blocks.stopped_by);
  for (const AttentionBlock& block : blocks.found) {
    graph.replace(block.last, fused(block, result.value));
  }
  result.changed = blocks.found.size();
}

std::string attention_form(const std::string& text) {
  if (find_form(text) != nullptr) return text;
  fail_usage("attention=" + printable(text), "is no form of attention",
             "choose decomposed, recomputed, efficient or flash");
}

std::string attention_words(const std::string& form) { return std::string(find_form(form)->words); }

}  // namespace stashscope
