#pragma once

#include <string>
#include <vector>

#include "core/graph/graph.h"
#include "core/graph/micro_batches.h"

namespace stashscope {

/// The forward model of a micro-batch: the losses of all micro-batches add up to the loss of the
/// whole batch. Means over the samples and terms that do not depend on samples are scaled by
/// 1 / count; sums are not, nor are outputs with samples. Scales what it cannot tell apart as a
/// mean, and says so in `notes`. Other outputs that are means or sums add up, too, and are appended
/// to the losses of `split`; those that neither add up nor have samples are left out, with a note.
/// @param model a forward model with inferred shapes; the returned graph needs inference again
/// @param split its losses are the outputs from which the backward pass starts
Graph with_micro_losses(const Graph& model, MicroBatches& split, std::vector<std::string>& notes);

}  // namespace stashscope
