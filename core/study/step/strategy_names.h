#pragma once

#include "core/study/choices/choices.h"

namespace stashscope {

/// Throws a usage Error that lists the names if the chosen order or fusion strategy does not exist.
void check_strategy_names(const Choices& choices);

/// Chooses the order that a user names: a strategy, or the planned order if a sequence is planned.
/// Throws a usage Error that lists the names if there is no such order.
void choose_order_named(const std::string& name, Choices& choices);

}  // namespace stashscope
