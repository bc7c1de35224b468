#pragma once

#include "core/run/shared/kernel.h"

namespace stashscope::cpu {

/// All kernels of the CPU.
const KernelRegistry& standard_kernels();

}  // namespace stashscope::cpu
