#pragma once

#include "core/study/step/study.h"

namespace stashscope {

/// Whether plans that a planner found under one study keep their peaks and times under another:
/// the same step of the same model, for the same device, with nothing changed but what planners
/// choose themselves. Plans in force, level, planned sequence and moves may differ, and so may the
/// order where a planned sequence is in force in one of them.
bool same_planning_basis(const Study& a, const Study& b);
bool same_planning_basis(const Choices& a, const Choices& b);

/// The choices with the plans, level, probe, planned sequence, order and moves of `plan`.
Choices with_plans_of(Choices choices, const Choices& plan);

}  // namespace stashscope
