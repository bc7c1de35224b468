#pragma once

#include "core/run/shared/kernel.h"

namespace stashscope::cpu {

void add_linear_loss_kernels(kernels::KernelRegistry& registry);

}  // namespace stashscope::cpu
