#pragma once

#include <set>

#include "core/passes/what_if/sparse/token_flow.h"

namespace stashscope {

/// A mask, and the values that nodes compute from the mask.
struct FollowedMask {
  ValueId input;                ///< invalid: there is no mask, and later keys are hidden
  TokenFlow flow;               ///< the values of which each element belongs to one token
  std::set<ValueId> dependent;  ///< the values that depend on elements of the mask
};

/// @param mask a graph input [batch, positions]; invalid: no mask
FollowedMask follow_mask(const Rewriter& graph, const TokenSizes& sizes, ValueId mask);

}  // namespace stashscope
