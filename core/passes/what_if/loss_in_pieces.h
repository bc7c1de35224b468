#pragma once

#include <cstdint>
#include <vector>

#include "core/passes/rewriting/rewriter.h"
#include "core/passes/rewriting/what_if_stop.h"

namespace stashscope {

/// Replaces each cross-entropy, together with the product that makes its scores from hidden states
/// and a weight, by LinearCrossEntropyLoss, which computes the scores of some rows at a time. Finds
/// SoftmaxCrossEntropyLoss, SoftmaxCrossEntropyLossInternal, and NegativeLogLikelihoodLoss of the
/// logarithm of a softmax. Nodes between product and loss that select, divide or merge rows are
/// applied to the hidden states instead; a bias, a constant factor and casts become part of the
/// operator. Returns the number of replaced losses.
/// @param rows rows of a piece; 0: as many as `default_loss_rows` gives when the step runs
/// @param stopped receives each loss that is found but not replaced, and why
std::size_t compute_loss_in_pieces(Rewriter& graph, std::int64_t rows,
                                   std::vector<WhatIfStop>& stopped);

}  // namespace stashscope
