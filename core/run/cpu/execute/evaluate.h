#pragma once

#include "core/passes/pass_selection.h"

namespace stashscope {

/// Computes constant nodes on the CPU, for passes that fold them.
ConstantEvaluator cpu_evaluator();

}  // namespace stashscope
