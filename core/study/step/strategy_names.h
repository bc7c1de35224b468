#pragma once

#include "core/study/choices/choices.h"

namespace stashscope {

/// Throws a usage Error that lists the names if the chosen order or fusion strategy does not exist.
void check_strategy_names(const Choices& choices);

}  // namespace stashscope
