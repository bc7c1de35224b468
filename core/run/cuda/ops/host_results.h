#pragma once

#include "core/run/cuda/codegen/lowering.h"

namespace stashscope::cuda {

/// For operators that compute few whole numbers from what the host knows (contents and dims): runs
/// the CPU's kernel now, and has the device write its results. Outputs are of type int64.
Lowered lower_host_results(const LoweringContext& context);

}  // namespace stashscope::cuda
