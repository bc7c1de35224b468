#include "core/passes/what_if/sparse/left_out_tokens.h"

#include <algorithm>
#include <optional>

#include "core/passes/what_if/sparse/followed_mask.h"
#include "core/passes/what_if/sparse/packing.h"

namespace stashscope {

namespace {

/// Follows the tokens of a model, given that a mask hides the keys that are left out.
struct HiddenTokens {
  FollowedMask mask;
  MaskBounds hidden;
  MaskBounds shown;
  KeyMask keys;
  TokenFlow tokens;

  /// @param input the mask; invalid: later keys are hidden
  HiddenTokens(const Rewriter& graph, const SparseModel& model, ValueId input)
      : mask(follow_mask(graph, model.sizes, input)),
        hidden(graph, mask, KeyKind::hidden),
        shown(graph, mask, KeyKind::shown),
        keys{hidden, shown, input.valid() ? &mask.flow : nullptr},
        tokens(graph, model.sizes, &keys) {
    for (const NodeId id : model.embeddings) {
      const ValueId rows = graph.node(id).outputs[0];
      if (graph.keeps(rows))
        throw SparseStop{
            id, "looks up tokens that are an output of the model or that a subgraph reads"};
      tokens.start(rows, {{AxisRole::batch, AxisRole::row, AxisRole::plain}});
    }
    tokens.follow();
  }
};

/// Throws a SparseStop if the backward pass starts from a value that holds tokens, because left out
/// tokens have no defined value there.
void require_no_tokens(const Rewriter& graph, const TokenFlow& flow,
                       const std::vector<ValueId>& losses) {
  for (const ValueId loss : losses) {
    if (flow.find(loss) != nullptr)
      throw SparseStop{graph.maker(loss), "makes tokens from which the backward pass starts"};
  }
}

/// The most tokens that can be kept. Without a mask, no token after the last label is kept; if the
/// last position has no labels, at least its tokens are left out.
Expr most_tokens(const SparseModel& model, ValueId mask, const TokenLoss& loss) {
  const bool leaves_last_out = !mask.valid() && loss.is_cut;
  return model.sizes.batch * (leaves_last_out ? model.sizes.positions - 1 : model.sizes.positions);
}

/// The input in which a run may set labels to the ignored label; invalid if there is none. Its type
/// must have this label. If the input is also looked up as ids, the label must be a valid id.
ValueId free_labels(const Rewriter& graph, const SparseModel& model, const TokenLoss& loss) {
  const bool is_free = loss.ignored >= 0 || !is_looked_up(graph, model, loss.input);
  return is_free && can_hold(graph.type(loss.input).element, loss.ignored) ? loss.input : ValueId();
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
      // The mask for which the stop comes last in the graph is the best guess, so its stop is
      // reported.
      if (!stop || stop->node < each.node) stop = each;
      continue;
    }
    return keep_tokens(graph, model, mask, hidden->tokens, losses, density);
  }
  throw *stop;
}

}  // namespace stashscope
