#pragma once

#include "core/run/cuda/codegen/lowering.h"

namespace stashscope::cuda {

/// Lowers an operator that computes a few integers from elements and dims that the host knows. Runs
/// the CPU kernel during lowering; a device kernel then only stores the results. Throws a run Error
/// for outputs of another type than int64.
Lowered lower_host_results(const LoweringContext& context);

}  // namespace stashscope::cuda
