#pragma once

#include "core/study/step/study.h"

namespace stashscope {

/// What a runner needs for a variant of the study.
RunPlan run_plan(const Study& study, const Variant& variant);

/// The modified graph in full, its nodes in the chosen order.
Graph modified_graph(const Study& study);

}  // namespace stashscope
