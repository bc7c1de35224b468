#pragma once

#include "core/passes/what_if/attention/attention_nodes.h"

namespace stashscope {

/// The numbers of rows and keys of scores, as int64 without axes.
struct ScoreSize {
  ValueId rows;
  ValueId keys;
};

/// Which scores count, and what is added to them. Both broadcast to [batch, heads, rows, keys].
struct ScoreMask {
  ValueId visible;  ///< boolean: false for a score that does not count; invalid: all count
  ValueId bias;     ///< invalid: none
  bool may_hide_rows = false;  ///< whether all scores of a row may be hidden
  /// Whether minus infinity is added to hidden scores. Only then do gradients flow through hidden
  /// scores, as an output with the masked scores requires. Otherwise minus infinity replaces the
  /// hidden scores, which needs no tensor of numbers.
  bool is_added = false;
};

/// True for the keys up to each row's own position plus `offset`. [rows, keys], or [batch, 1, rows,
/// keys] for an offset with axes
/// @param offset int64, without axes or [batch, 1, 1, 1]; invalid: 0
ValueId earlier_keys(NodeWriter& writer, const ScoreSize& size, ValueId offset);

/// True for the first keys of each sample. [batch, 1, 1, keys] @param counts int64 [batch, 1, 1, 1]
ValueId first_keys(NodeWriter& writer, const ScoreSize& size, ValueId counts);

/// True where both are true. An invalid one counts as true everywhere.
ValueId both_visible(NodeWriter& writer, ValueId a, ValueId b);

/// Adds the steps of a mask to an attention.
void add_mask(NodeWriter& writer, const ScoreMask& mask, AttentionParts& parts);

/// If a mask may hide all keys of a row, makes the attention give such a row the result 0 and
/// gradients of 0.
void guard_hidden_rows(NodeWriter& writer, const ScoreMask& mask, AttentionParts& parts);

}  // namespace stashscope
