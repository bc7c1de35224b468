#pragma once

#include "core/run/shared/kernel.h"

namespace stashscope::cpu {

/// The CPU's code uses what both runners share (core/run/shared) without a prefix.
using namespace kernels;  // NOLINT: the directive is the purpose

}  // namespace stashscope::cpu
