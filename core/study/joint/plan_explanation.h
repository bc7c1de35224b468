#pragma once

#include <vector>

#include "core/study/search/joint_facts.h"
#include "core/study/step/study.h"

namespace stashscope {

/// One entry for each entry of a study's config that is in force, those first that free most bytes
/// for each second; or for each operator that the study's planned sequence runs again.
std::vector<ExplainedChoice> explain_plans(const Study& study);

}  // namespace stashscope
