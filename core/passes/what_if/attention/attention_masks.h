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
  /// Whether minus infinity is added to hidden scores. Then gradients flow through them, as an
  /// output with the masked scores needs. Otherwise minus infinity takes the place of these scores,
  /// which needs no tensor of numbers.
  bool is_added = false;
};

/// True for the keys up to each row's own position and `offset` keys more. [rows, keys]
/// @param offset int64, without axes or [batch, 1, 1, 1]; invalid: 0
ValueId earlier_keys(NodeWriter& writer, const ScoreSize& size, ValueId offset);

/// True for the first keys of each sample. [batch, 1, 1, keys] @param counts int64 [batch, 1, 1, 1]
ValueId first_keys(NodeWriter& writer, const ScoreSize& size, ValueId counts);

/// True where both are true. An invalid one counts as true everywhere.
ValueId both_visible(NodeWriter& writer, ValueId a, ValueId b);

/// Adds the steps of a mask to an attention.
void add_mask(NodeWriter& writer, const ScoreMask& mask, AttentionParts& parts);

/// Sets the results of rows that see no key to 0, and their gradients, too.
void guard_hidden_rows(NodeWriter& writer, const ScoreMask& mask, AttentionParts& parts);

}  // namespace stashscope
