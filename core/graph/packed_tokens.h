#pragma once

#include "core/graph/graph.h"

namespace stashscope {

/// How a step leaves out tokens that change neither the loss nor a gradient: it works on rows of
/// the tokens that it keeps. It keeps a token if the loss reads its row, or if others may read the
/// token: if the mask shows it or, without a mask, if the loss reads a later row of its sequence.
struct PackedTokens {
  /// Graph input [batch, positions]: 0 for a token that no other reads. None: later tokens are
  /// hidden from earlier ones.
  ValueId mask;
  /// Graph input [batch, positions]. None if the labels are the ids and no id is an ignored label.
  ValueId labels;
  std::int64_t ignored_label = 0;
  bool next_is_label = false;  ///< the label of a row is that of the next token
  /// The output of the node that finds the kept tokens; its last axis is their number.
  ValueId found;
  Rational density = 1;  ///< the assumed share of kept tokens, above 0 and at most 1
  Expr most;             ///< the most tokens that can be kept
};

/// The number of kept tokens; nothing if the graph works on all tokens.
std::optional<Expr> kept_token_count(const Graph& graph);

/// The number of kept tokens that `density` assumes; at least 1.
/// @param tokens the number of all tokens: [batch * positions] of the ids
/// @param bindings values of the dimensions of the ids
/// @pre the graph leaves tokens out
std::int64_t expected_kept_tokens(const Graph& graph, std::int64_t tokens,
                                  const Bindings& bindings);

}  // namespace stashscope
