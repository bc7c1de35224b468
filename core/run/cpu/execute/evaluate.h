#pragma once

#include "core/passes/pass_selection.h"

namespace stashscope {

/// An evaluator that computes constant nodes on the CPU, for passes that fold constants.
ConstantEvaluator cpu_evaluator();

}  // namespace stashscope
