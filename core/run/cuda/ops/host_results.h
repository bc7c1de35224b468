#pragma once

#include "core/run/cuda/codegen/lowering.h"

namespace stashscope::cuda {

/// For operators that compute few integers from what the host knows (contents and dims): runs the
/// CPU kernel during lowering and lets the device store its results. Outputs have type int64.
Lowered lower_host_results(const LoweringContext& context);

}  // namespace stashscope::cuda
