#pragma once

#include "core/study/choices/choices.h"

namespace stashscope {

/// The choices `first`, but with the sizes and unified dimensions of `now`, its device profile with
/// memory and link, and the device that runs its step. Undoes plans, passes, order, fusion and
/// optimizer alike.
Choices taken_back(const Choices& now, const Choices& first);

}  // namespace stashscope
