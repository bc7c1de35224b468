#pragma once

#include "core/study/choices/choices.h"

namespace stashscope {

/// The choices `first`, but with these parts of `now`: sizes, unified dimensions, the device
/// profile with memory and link, and the device that runs the step. This undoes plans, passes,
/// order, fusion and optimizer alike.
Choices taken_back(const Choices& now, const Choices& first);

/// The choices of a model that was just opened: no plans, passes, order, fusion or optimizer. The
/// loss, the trainable parameters and the options of the search for plans stay as in `opened`.
Choices plain_choices(const Choices& opened);

/// The choices with every plan off: no planned sequence, no counts and no pinned nodes.
Choices without_plans(Choices choices);

}  // namespace stashscope
