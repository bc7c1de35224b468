#pragma once

#include <string>
#include <vector>

#include "core/graph/graph.h"

namespace stashscope {

/// The forward model of a micro-batch: the losses of all micro-batches add up to the loss of the
/// whole batch. Means over the samples and terms that do not depend on samples are scaled by
/// 1 / count; sums are not. Scales what it cannot tell apart as a mean, and says so in `notes`.
/// @param model a forward model with inferred shapes; the returned graph needs inference again
/// @param losses the outputs from which the backward pass starts
/// @param samples the inputs that are split
Graph with_micro_losses(const Graph& model, const std::vector<ValueId>& losses,
                        const std::vector<ValueId>& samples, SymbolId batch, std::int64_t count,
                        std::vector<std::string>& notes);

}  // namespace stashscope
