#pragma once

#include "core/passes/what_if/attention/attention_block.h"

namespace stashscope {

/// Whether a permutation keeps the order.
bool is_identity(const std::vector<std::int64_t>& perm);

/// The value as an operand whose axes keep their order. @pre its shape is known
AttentionOperand operand_of(const Rewriter& graph, ValueId value);

/// The operand with its last two axes swapped.
AttentionOperand transposed(AttentionOperand operand);

/// The operand as a permutation of the tensor from which Transpose nodes make it.
AttentionOperand seen_through(const Rewriter& graph, AttentionOperand operand);

/// The tensor before its heads were repeated for several query heads; the operand itself if its
/// heads are not repeated.
AttentionOperand before_repetition(const Rewriter& graph, const AttentionOperand& operand);

}  // namespace stashscope
