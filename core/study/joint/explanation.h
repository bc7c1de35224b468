#pragma once

#include <vector>

#include "core/study/joint/combinations.h"
#include "core/study/search/joint_facts.h"

namespace stashscope {

/// One entry for each choice that a joint answer has made. With the reason, also one entry for each
/// what-if that stayed off although the user may expect it, and one for each what-if that leaves
/// places in their form. Passes come first, then what-ifs, then plans as `explain_plans` sorts
/// them, then choices that were left out.
/// @param asked the study that was asked about
/// @param found the combinations that were looked at
/// @param after the study of the answer's choices
std::vector<ExplainedChoice> explain(const Study& asked, const Combinations& found,
                                     const Study& after);

}  // namespace stashscope
