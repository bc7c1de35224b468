#pragma once

#include <string>

#include "core/passes/what_if/what_if.h"

namespace stashscope {

/// Leaves tokens out that change neither the loss nor a gradient: operators that work on each token
/// alone get only the rows of kept tokens. In a model with a mask, the tokens are kept that the
/// mask shows or that have a label. Without a mask, the tokens of each sequence are kept up to the
/// last one with a label. (ONNX Runtime, PaddingElimination)
/// @pre `result.value` is a text that `sparse_density` returned
/// @param losses the outputs from which the backward pass starts
void choose_sparse_inputs(Rewriter& graph, const std::vector<ValueId>& losses,
                          WhatIfResult& result);

/// `data` (also for an empty text), or the share of tokens that are kept, as it is written in
/// files: `0.6`, `1`. Throws a usage Error for other texts.
std::string sparse_density(const std::string& text);
std::string sparse_words(const std::string& density);

/// The name of the what-if.
constexpr std::string_view sparse_inputs_name = "sparse";

}  // namespace stashscope
