#include "core/passes/what_if/sparse_inputs.h"

#include <algorithm>
#include <optional>

#include "core/base/error.h"
#include "core/passes/what_if/sparse/kept_tokens.h"
#include "core/passes/what_if/whole_number.h"

namespace stashscope {

namespace {

constexpr std::string_view by_data = "data";
constexpr std::size_t most_digits = 9;

/// The number that a decimal text such as `0.25` writes.
std::optional<Rational> decimal(std::string_view text) {
  const std::size_t point = std::min(text.find('.'), text.size());
  const std::string_view digits = text.substr(std::min(point + 1, text.size()));
  const auto front = whole_number(text.substr(0, point));
  if (!front || text.front() == '-' || *front > 1 || digits.size() > most_digits)
    return std::nullopt;
  std::int64_t numerator = *front;
  std::int64_t denominator = 1;
  for (const char digit : digits) {
    if (digit < '0' || digit > '9') return std::nullopt;
    numerator = numerator * 10 + (digit - '0');
    denominator *= 10;
  }
  return Rational::ratio(numerator, denominator);
}

/// Nothing if the text is no density. The density is 1 if the data decides.
std::optional<Rational> density_of(std::string_view text) {
  if (text == by_data) return Rational(1);
  const auto share = decimal(text);
  return share && share->sign() > 0 && *share <= Rational(1) ? share : std::nullopt;
}

/// The tokens of a model in which keys that are left out are hidden.
struct HiddenTokens {
  MaskBounds hidden;
  MaskBounds shown;
  TokenFlow mask;
  KeyMask keys;
  TokenFlow tokens;

  /// @param input the mask; invalid: later keys are hidden
  HiddenTokens(const Rewriter& graph, const SparseModel& model, ValueId input)
      : hidden(graph, input),
        shown(graph, input, KeyKind::shown),
        mask(graph, model.sizes, nullptr),
        keys{hidden, shown, input.valid() ? &mask : nullptr},
        tokens(graph, model.sizes, &keys) {
    if (input.valid()) mask.start(input, {{AxisRole::batch, AxisRole::key}});
    mask.follow();
    if (input.valid()) hidden.require(mask), shown.require(mask);
    for (const NodeId id : model.embeddings) {
      const ValueId rows = graph.node(id).outputs[0];
      if (graph.keeps(rows))
        throw SparseStop{id, "looks up tokens that an output or a subgraph reads"};
      tokens.start(rows, {{AxisRole::batch, AxisRole::row, AxisRole::plain}});
    }
    tokens.follow();
  }
};

/// What a left out token holds must not reach what training starts from.
void require_no_tokens(const Rewriter& graph, const TokenFlow& flow,
                       const std::vector<ValueId>& losses) {
  for (const ValueId loss : losses) {
    if (flow.find(loss) != nullptr)
      throw SparseStop{graph.maker(loss), "makes tokens from which the backward pass starts"};
  }
}

std::size_t leave_tokens_out(Rewriter& graph, const SparseModel& model, ValueId mask,
                             const TokenFlow& flow, const std::vector<ValueId>& losses,
                             Rational density) {
  const TokenLoss loss = find_token_loss(graph, flow);
  if (!loss.node.valid())
    throw SparseStop{model.embeddings.front(), "looks up tokens that no loss with labels reads"};
  require_no_tokens(graph, flow, losses);
  const std::size_t end = graph.node_count();
  const KeptTokens kept =
      add_kept_tokens(graph, flow, model, mask, loss, std::string(kept_tokens_name));
  Packing packing(graph, flow, kept.places);
  for (const NodeId id : model.embeddings) packing.pack_embedding(id);
  for (std::size_t i = 0; i < end; ++i) {
    if (!graph.is_removed(NodeId(i)) && NodeId(i) != loss.node) packing.pack(NodeId(i));
  }
  packing.require_finite(end);
  packing.pack_loss(loss.node, kept.labels);
  packing.put_back(end);
  const Expr last =
      !mask.valid() && loss.is_cut ? model.sizes.positions - 1 : model.sizes.positions;
  // Ids that are labels, too, cannot be made ignored labels if no id is one.
  const bool makes_labels = loss.ignored >= 0 || !is_looked_up(graph, model, loss.input);
  const ValueId labels = makes_labels ? loss.input : ValueId();
  graph.set_packed_tokens(
      {mask, labels, loss.ignored, loss.is_cut, kept.found, density, model.sizes.batch * last});
  return packing.count();
}

WhatIfStop as_stop(const Rewriter& graph, const SparseStop& stop) {
  return {describe(graph.node(stop.node), stop.node), stop.reason};
}

}  // namespace

void choose_sparse_inputs(Rewriter& graph, const std::vector<ValueId>& losses,
                          WhatIfResult& result) {
  const auto density = density_of(result.value);
  const SparseModel model = find_embeddings(graph);
  if (!density || model.embeddings.empty()) return;
  SparseStop stop = {model.embeddings.front(), ""};
  std::vector<ValueId> masks = possible_masks(graph, model);
  masks.emplace_back();  // no mask: causal attention hides later tokens
  for (const ValueId mask : masks) {
    std::optional<HiddenTokens> hidden;
    try {
      hidden.emplace(graph, model, mask);
      result.changed = leave_tokens_out(graph, model, mask, hidden->tokens, losses, *density);
      result.found = result.changed;
      return;
    } catch (const SparseStop& each) {
      // The mask that explains most of the model is the best guess.
      if (hidden || stop.node < each.node) stop = each;
    }
    if (hidden) break;
  }
  result.stopped_by.push_back(as_stop(graph, stop));
}

std::string sparse_density(const std::string& text) {
  if (text.empty() || text == by_data) return std::string(by_data);
  if (!density_of(text)) {
    fail_usage("sparse=" + printable(text), "is no share of tokens",
               "give a number above 0 and at most 1, such as 0.6, or nothing");
  }
  if (text.find('.') == std::string::npos) return text;
  const std::size_t last = text.find_last_not_of('0');
  return text.substr(0, text[last] == '.' ? last : last + 1);
}

std::string sparse_words(const std::string& density) {
  return density == by_data ? "Sparse inputs" : "Sparse inputs of density " + density;
}

}  // namespace stashscope
