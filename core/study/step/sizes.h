#pragma once

#include <memory>

#include "core/study/step/study.h"

namespace stashscope {

/// What the chosen dimension values make of a step. Throws a usage Error for values that the model
/// does not take, an input Error for sizes that do not fit into 64 bits.
std::shared_ptr<const Sizes> sizes_under(const PreparedStep& prepared, const Choices& choices);

}  // namespace stashscope
