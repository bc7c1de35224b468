#pragma once

#include <string>

#include "core/passes/what_if/what_if.h"

namespace stashscope {

/// Leaves the rows of padding out: operators that work on each token alone get the rows of the
/// tokens that the mask shows or that have a label. (ONNX Runtime, PaddingElimination)
/// @param losses the outputs from which the backward pass starts
void choose_sparse_inputs(Rewriter& graph, const std::vector<ValueId>& losses,
                          WhatIfResult& result);

/// `data`, or the share of tokens that are kept, as it is written in files. Throws a usage Error
/// for other texts.
std::string sparse_density(const std::string& text);
std::string sparse_words(const std::string& density);

/// The name of the what-if.
constexpr std::string_view sparse_inputs_name = "sparse";

/// Prefix of the name of the dimension that counts the kept tokens.
constexpr std::string_view kept_tokens_name = "valid_tokens";

}  // namespace stashscope
