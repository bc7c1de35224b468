#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/passes/rewriting/rewriter.h"
#include "core/passes/what_if/what_if_stop.h"

namespace stashscope {

/// An operand of an attention as it lies in memory. `perm` permutes its axes to [leading axes...,
/// positions, size], as Transpose does.
struct AttentionOperand {
  ValueId value;
  std::vector<std::int64_t> perm;
};

/// What happens to the scores between the product of queries and keys and the softmax.
struct AttentionStep {
  std::string type;  ///< see the attribute `steps` of FusedAttention
  std::vector<ValueId> operands;
};

/// The nodes of an attention that is computed step by step: queries times keys, steps on the
/// scores, softmax, optional dropout, probabilities times values, optional transposition.
struct AttentionBlock {
  NodeId softmax;
  NodeId last;  ///< the node whose output is the result
  AttentionOperand query;
  AttentionOperand key;
  AttentionOperand value;
  std::vector<AttentionStep> steps;
  std::vector<std::int64_t> output_perm;  ///< of the transposition at the end
  double dropped_share = 0;
  std::int64_t dropout_seed = 0;
};

/// The attentions of a forward graph that are computed step by step. A softmax counts as attention
/// if its result is the left operand of a product.
struct AttentionBlocks {
  std::vector<AttentionBlock> found;
  std::vector<WhatIfStop> stopped_by;  ///< attentions that cannot be one node, and why
};

AttentionBlocks find_attention_blocks(const Rewriter& graph);

}  // namespace stashscope
