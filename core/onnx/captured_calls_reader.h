#pragma once

#include "core/graph/captured_step.h"

namespace stashscope {

/// Reads facts from the metadata into `step`: the tensors that autograd saved, the calls of
/// modules, and how long storages live if autograd saves nothing. Files that were written before
/// the format had these lists have no saved tensors and no calls. Throws an input Error that names
/// the faulty entry. (docs/captured_step.md)
/// @pre `step` has its storages
void read_captured_calls(const GraphData& data, CapturedStep& step);

}  // namespace stashscope
