#pragma once

#include "core/graph/captured_step.h"

namespace stashscope {

/// Reads what the metadata say about saved tensors, calls of modules and lives without autograd
/// into `step`, whose storages are there already. Files from before these lists get none. Throws an
/// input Error that names the faulty entry. (docs/captured_step.md)
void read_captured_calls(const GraphData& data, CapturedStep& step);

}  // namespace stashscope
