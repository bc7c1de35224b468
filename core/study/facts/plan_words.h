#pragma once

#include <string>
#include <vector>

#include "core/study/step/study.h"

namespace stashscope {

/// A name for each row of both plan tables, by the index of `plan_row`. The name states the
/// operator whose output the row frees, the operators that run again before this operator, the
/// strategy unless it is recompute, and the module or the number of places. Examples:
/// `Gelu, in model.layers.0.mlp`, `Dropout after Cast, 12 x attn`, and
/// `Softmax and 7 nodes before it, 12 places`. For regions, the name states the modules that run
/// again, which outputs they keep, and whether they free their own outputs. An example:
/// `h.*, 12 modules, keeping matrix products`. Rows that would have the same name list all their
/// operators. Rows whose names are still equal also show their config string.
std::vector<std::string> plan_names(const Study& study);

}  // namespace stashscope
