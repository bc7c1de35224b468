#pragma once

#include "core/run/cpu/primitives/shared_names.h"

namespace stashscope::cpu {

/// RNN, GRU and LSTM, their training forms and their gradients.
void add_recurrent_kernels(KernelRegistry& registry);

}  // namespace stashscope::cpu
