#pragma once

#include <vector>

#include "core/study/search/joint_facts.h"
#include "core/study/step/study.h"

namespace stashscope {

/// Explains the plans of a study. Without a planned sequence, there is one entry for each entry of
/// the config that is applied somewhere; the entries that free most bytes for each second come
/// first. With a planned sequence, there is one entry for each operator that takes time and runs
/// again, and one entry for all operators that take no time. If no node runs again, one entry
/// explains the order.
std::vector<ExplainedChoice> explain_plans(const Study& study);

}  // namespace stashscope
