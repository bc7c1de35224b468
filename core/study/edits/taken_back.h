#pragma once

#include "core/study/choices/choices.h"

namespace stashscope {

/// The choices `first`, but with the sizes of `now`, with its device and with what that device
/// holds: undoes plans, passes, order, fusion and optimizer alike.
Choices taken_back(const Choices& now, const Choices& first);

}  // namespace stashscope
