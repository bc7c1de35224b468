#pragma once

#include "core/run/cpu/primitives/shared_names.h"

namespace stashscope::cpu {

/// All kernels of the CPU.
const KernelRegistry& standard_kernels();

}  // namespace stashscope::cpu
