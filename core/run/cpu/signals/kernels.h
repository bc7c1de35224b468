#pragma once

#include "core/run/shared/kernel.h"

namespace stashscope::cpu {

void add_signal_kernels(kernels::KernelRegistry& registry);

}  // namespace stashscope::cpu
