#pragma once

#include <string>
#include <vector>

#include "core/graph/graph.h"
#include "core/passes/rewriting/what_if_stop.h"

namespace stashscope {

/// The first value in which samples meet each other, because its shape has the batch in two axes or
/// squared; empty if there is none.
/// @param model a forward model with inferred shapes
std::vector<WhatIfStop> meeting_samples(const Graph& model, SymbolId batch);

/// Notes which nodes combine the samples of a micro-batch for the result of each sample; at most
/// one sentence.
/// @param samples the inputs that are split
std::vector<std::string> combined_sample_notes(const Graph& model,
                                               const std::vector<ValueId>& samples, SymbolId batch);

}  // namespace stashscope
