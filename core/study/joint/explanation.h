#pragma once

#include <vector>

#include "core/study/joint/combinations.h"
#include "core/study/search/joint_facts.h"

namespace stashscope {

/// Explains a joint answer. The first entry is for the passes that the answer switched on, if any.
/// Then comes one entry for each what-if that the answer chose, and then the entries for plans
/// (`explain_plans`). The last entries state what was left out and why: all what-ifs if the graph
/// may not change, what-ifs that were tried but stayed off, and places that a what-if could not
/// change.
/// @param asked the study that was asked about
/// @param found the combinations that were looked at
/// @param after the study of the answer's choices
std::vector<ExplainedChoice> explain(const Study& asked, const Combinations& found,
                                     const Study& after);

}  // namespace stashscope
