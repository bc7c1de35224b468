#pragma once

#include "core/ops/rules/op.h"

namespace stashscope {

// Operators on queries, keys and values: one file per family, as in core/ops/families.
void add_attention_ops(OpRegistry& registry);
void add_contrib_attention_ops(OpRegistry& registry);
void add_fused_attention_ops(OpRegistry& registry);

}  // namespace stashscope
