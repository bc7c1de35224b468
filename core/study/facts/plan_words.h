#pragma once

#include <string>
#include <vector>

#include "core/study/step/study.h"

namespace stashscope {

/// The rows of both plan tables in words, by the index of `plan_row`: the operator whose output a
/// row frees, the nodes that run again before it, and where: `Gelu, in model.layers.0.mlp`,
/// `Dropout after Cast, 12 x attn`, `Softmax and 7 nodes before it, 12 places`. Each name is
/// unique: rows that would share one list all their operators or have their config string.
std::vector<std::string> plan_names(const Study& study);

}  // namespace stashscope
