#pragma once

#include "core/study/choices/choices.h"

namespace stashscope {

/// Throws a usage Error with the list of names if no order or no fusion has the chosen name.
void check_strategy_names(const Choices& choices);

}  // namespace stashscope
