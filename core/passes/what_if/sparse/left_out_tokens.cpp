#include "core/passes/what_if/sparse/left_out_tokens.h"

#include <algorithm>
#include <optional>

#include "core/passes/what_if/sparse/packing.h"

namespace stashscope {

namespace {

TokenFlow followed_mask(const Rewriter& graph, const SparseModel& model, ValueId mask) {
  TokenFlow flow(graph, model.sizes, nullptr);
  if (mask.valid()) flow.start(mask, {{AxisRole::batch, AxisRole::key}});
  flow.follow();
  return flow;
}

/// The tokens of a model in which keys that are left out are hidden.
struct HiddenTokens {
  TokenFlow mask;
  MaskBounds hidden;
  MaskBounds shown;
  KeyMask keys;
  TokenFlow tokens;

  /// @param input the mask; invalid: later keys are hidden
  HiddenTokens(const Rewriter& graph, const SparseModel& model, ValueId input)
      : mask(followed_mask(graph, model, input)),
        hidden(graph, input, KeyKind::hidden, &mask),
        shown(graph, input, KeyKind::shown, &mask),
        keys{hidden, shown, input.valid() ? &mask : nullptr},
        tokens(graph, model.sizes, &keys) {
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

/// The last position of causal models has no label.
Expr most_tokens(const SparseModel& model, ValueId mask, const TokenLoss& loss) {
  const bool leaves_last_out = !mask.valid() && loss.is_cut;
  return model.sizes.batch * (leaves_last_out ? model.sizes.positions - 1 : model.sizes.positions);
}

/// The input whose labels may be made ignored ones. Ids that are labels, too, cannot if no id is
/// one.
ValueId free_labels(const Rewriter& graph, const SparseModel& model, const TokenLoss& loss) {
  const bool is_free = loss.ignored >= 0 || !is_looked_up(graph, model, loss.input);
  return is_free ? loss.input : ValueId();
}

std::size_t keep_tokens(Rewriter& graph, const SparseModel& model, ValueId mask,
                        const TokenFlow& flow, const std::vector<ValueId>& losses,
                        Rational density) {
  const TokenLoss loss = find_token_loss(graph, flow);
  if (!loss.node.valid())
    throw SparseStop{model.embeddings.front(), "looks up tokens that no loss with labels reads"};
  require_no_tokens(graph, flow, losses);
  const KeptTokens kept = add_kept_tokens(graph, flow, model, mask, loss);
  const std::size_t packed =
      Packing(graph, flow, kept.places).pack(model.embeddings, loss.node, kept.labels);
  graph.set_packed_tokens({.mask = mask,
                           .labels = free_labels(graph, model, loss),
                           .ignored_label = loss.ignored,
                           .next_is_label = loss.is_cut,
                           .found = kept.found,
                           .density = density,
                           .most = most_tokens(model, mask, loss)});
  return packed;
}

}  // namespace

std::size_t leave_tokens_out(Rewriter& graph, const std::vector<ValueId>& losses,
                             Rational density) {
  const SparseModel model = find_embeddings(graph);
  if (model.embeddings.empty()) return 0;
  std::optional<SparseStop> stop;
  std::vector<ValueId> masks = possible_masks(graph, model);
  masks.emplace_back();  // no mask: causal attention hides later tokens
  for (const ValueId mask : masks) {
    std::optional<HiddenTokens> hidden;
    try {
      hidden.emplace(graph, model, mask);
    } catch (const SparseStop& each) {
      // The mask that explains most of the model is the best guess.
      if (!stop || stop->node < each.node) stop = each;
      continue;
    }
    return keep_tokens(graph, model, mask, hidden->tokens, losses, density);
  }
  throw *stop;
}

}  // namespace stashscope
