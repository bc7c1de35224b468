#pragma once

#include "core/run/shared/kernel.h"

namespace stashscope::cpu {

/// Lets the CPU's code use the names that both runners share (core/run/shared) without a prefix.
using namespace kernels;  // NOLINT: this header exists for the using-directive

}  // namespace stashscope::cpu
