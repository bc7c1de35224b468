#pragma once

#include "core/study/choices/choices.h"

namespace stashscope {

/// The choices `first`, but with these parts of `now`: sizes, unified dimensions, all of
/// `TimeChoices` (such as the device profile), and the device that runs the step. This undoes
/// plans, passes, what-ifs, order, fusion and optimizer alike.
Choices taken_back(const Choices& now, const Choices& first);

/// The choices of a model that was just opened: no plans, passes, order, fusion or optimizer. The
/// loss, the trainable and frozen parameters and the options of the search for plans stay as in
/// `opened`.
Choices plain_choices(const Choices& opened);

/// The choices with every plan off: level 0, an empty config, no planned sequence and no pinned
/// nodes.
Choices without_plans(Choices choices);

}  // namespace stashscope
