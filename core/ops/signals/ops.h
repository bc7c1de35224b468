#pragma once

#include "core/ops/rules/op.h"

namespace stashscope {

// Operators on images, sounds and texts: one file per family, as in core/ops/families.
void add_box_ops(OpRegistry& registry);
void add_grid_ops(OpRegistry& registry);
void add_ngram_ops(OpRegistry& registry);
void add_spectrum_ops(OpRegistry& registry);

}  // namespace stashscope
