#pragma once

#include <string>

#include "core/passes/what_if/what_if.h"

namespace stashscope {

/// Leaves the rows of padding out: what works on each token alone works on the rows of the tokens
/// that the mask shows or that have a label. (ONNX Runtime, PaddingElimination)
void choose_sparse_inputs(Rewriter& graph, WhatIfResult& result);

/// `data`, or the share of tokens that are kept, as it is written in files. Throws a usage Error
/// for other texts.
std::string sparse_density(const std::string& text);
std::string sparse_words(const std::string& density);

/// Prefix of the name of the dimension that counts the kept tokens.
constexpr std::string_view kept_tokens_name = "valid_tokens";

}  // namespace stashscope
