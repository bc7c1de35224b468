#pragma once

#include "core/ops/rules/op.h"

namespace stashscope {

// Losses over class scores, and over hidden states whose scores they compute.
void add_linear_loss_ops(OpRegistry& registry);
void add_loss_ops(OpRegistry& registry);

}  // namespace stashscope
