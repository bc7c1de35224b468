#pragma once

#include <string>

#include "core/passes/what_if/what_if.h"

namespace stashscope {

/// Leaves tokens out that change neither the loss nor a gradient: operators that work on each token
/// alone get the rows of the other tokens. With a mask these are the tokens that it shows or that
/// have a label; without one, those of each sequence up to its last label. (ONNX Runtime,
/// PaddingElimination)
/// @pre the value of the result is one that `sparse_density` returned
/// @param losses the outputs from which the backward pass starts
void choose_sparse_inputs(Rewriter& graph, const std::vector<ValueId>& losses,
                          WhatIfResult& result);

/// `data`, or the share of tokens that are kept, as it is written in files: `0.6`, `1`. Throws a
/// usage Error for other texts.
std::string sparse_density(const std::string& text);
std::string sparse_words(const std::string& density);

/// The name of the what-if.
constexpr std::string_view sparse_inputs_name = "sparse";

}  // namespace stashscope
