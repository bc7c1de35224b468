#pragma once

#include "core/graph/graph.h"

namespace stashscope {

/// How a step leaves out tokens that change neither the loss nor a gradient. The step works on the
/// rows of the kept tokens only. A token is kept if the loss reads its row, or if other tokens may
/// read the token. With a mask, other tokens may read the tokens that the mask shows. Without a
/// mask, they may read a token if the loss reads a later row of the same sequence.
struct PackedTokens {
  /// Graph input [batch, positions]: 0 for a token that no other token reads. Invalid: the step has
  /// no mask, and its attention hides later tokens from earlier ones.
  ValueId mask;
  /// Graph input [batch, positions]. Invalid if no label can be the ignored label, because the
  /// token ids serve as labels or because the labels' type cannot hold the ignored label.
  ValueId labels;
  std::int64_t ignored_label = 0;
  bool next_is_label = false;  ///< a row is compared with the label of the next token
  /// The output of the node that finds the kept tokens. The size of its last axis is their number.
  ValueId found;
  Rational density = 1;  ///< the assumed share of kept tokens, above 0 and at most 1
  Expr most;             ///< the most tokens that can be kept
};

/// The number of kept tokens; nothing if the graph works on all tokens.
std::optional<Expr> kept_token_count(const Graph& graph);

/// The number of kept tokens that `density` assumes; at least 1.
/// @param tokens the number of all tokens: batch * positions of the input with the token ids
/// @param bindings values of the dimensions of this input
/// @pre the graph leaves tokens out
std::int64_t expected_kept_tokens(const Graph& graph, std::int64_t tokens,
                                  const Bindings& bindings);

}  // namespace stashscope
