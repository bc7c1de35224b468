#pragma once

#include "core/passes/what_if/sparse/kept_tokens.h"

namespace stashscope {

/// Leaves out the tokens that change neither the loss nor a gradient. Returns the number of nodes
/// that work on the rows of the other tokens; 0 if the model looks up no ids. If the loss or a
/// gradient may depend on tokens that would be left out, throws a SparseStop and adds only nodes
/// that nothing reads.
/// @param losses the outputs from which the backward pass starts
/// @param density the assumed share of kept tokens, above 0 and at most 1
std::size_t leave_tokens_out(Rewriter& graph, const std::vector<ValueId>& losses, Rational density);

}  // namespace stashscope
