#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/passes/rewriting/rewriter.h"
#include "core/passes/rewriting/what_if_stop.h"

namespace stashscope {

/// An operand of an attention as it lies in memory. `perm` permutes its axes to [leading axes...,
/// positions, size], as Transpose does.
struct AttentionOperand {
  ValueId value;
  std::vector<std::int64_t> perm;
};

/// An operation on the scores between the product of queries and keys and the softmax.
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

/// The softmaxes whose result is the left operand of a product, perhaps after a dropout, a cast or
/// a reshape. Each of them belongs to an attention that is computed step by step.
std::vector<NodeId> attention_softmaxes(const Rewriter& graph);

/// The attention around a softmax. Nothing if it cannot be one node; then `stop` says why.
std::optional<AttentionBlock> read_attention_block(const Rewriter& graph, NodeId softmax,
                                                   WhatIfStop& stop);

/// Makes a Transpose a part of the block if it is the only reader of the result.
void take_transposition(const Rewriter& graph, AttentionBlock& block);

}  // namespace stashscope
