#pragma once

#include <string>
#include <vector>

#include "core/graph/graph.h"
#include "core/graph/micro_batches.h"

namespace stashscope {

/// The forward model of a micro-batch: the losses of all micro-batches add up to the loss of the
/// whole batch. Means over the samples and terms that do not depend on samples are scaled by
/// 1/count. Sums over the samples and outputs with samples are not scaled. A loss that is
/// recognized neither as a mean nor as a sum is scaled like a mean, with a note. Other outputs that
/// are means or sums add up, too, and are appended to the losses of `split`. An output that depends
/// on samples is left out, with a note, if it neither adds up nor has samples.
/// @param model a forward model with inferred shapes; the returned graph needs inference again
/// @param split its losses are the outputs from which the backward pass starts
Graph with_micro_losses(const Graph& model, MicroBatches& split, std::vector<std::string>& notes);

}  // namespace stashscope
