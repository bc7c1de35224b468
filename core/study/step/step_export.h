#pragma once

#include "core/study/step/study.h"

namespace stashscope {

/// A variant of the study in the form that runners take.
RunPlan run_plan(const Study& study, const Variant& variant);

/// The complete modified graph, with its nodes in the chosen order. Throws a usage Error for a
/// captured step with plans.
Graph modified_graph(const Study& study);

}  // namespace stashscope
