#pragma once

#include "core/study/step/study.h"

namespace stashscope {

/// Whether plans found under one study have equal peaks and times under the other study. The model,
/// the times and the choices must be equal, except for the device that runs the step, the
/// allocator, the memory that the step must fit, and what planners choose: recompute plans, level,
/// `layer_boundary`, planned sequence, moves, and the order if either study uses the order of a
/// planned sequence.
bool same_planning_basis(const Study& a, const Study& b);
bool same_planning_basis(const Choices& a, const Choices& b);

/// The entries of a config that planners keep: plans that evict activations, and entries by
/// operator. Only planning at the grain `joint` chooses evicting plans itself.
RecomputeConfig kept_by_planners(const RecomputeConfig& config);

/// The choices with everything that `plan` chooses in `PlanChoices` and `OrderChoices`, except for
/// the pinned nodes, which stay.
Choices with_plans_of(Choices choices, const Choices& plan);

}  // namespace stashscope
