#pragma once

#include <string>
#include <vector>

#include "core/base/progress.h"
#include "core/passes/what_if/what_if.h"
#include "core/study/step/study.h"

namespace stashscope {

/// The effect of a what-if: the step with the what-if compared with the step without it, with all
/// other choices equal.
struct WhatIfSaving {
  WhatIfResult result;
  std::int64_t stashed_bytes_saved = 0;  ///< negative: the what-if stashes more
  std::string symbolic_saved;            ///< the stashed bytes saved, in the model's dimensions
  std::int64_t peak_bytes_saved = 0;     ///< of the step with its plans
  double seconds = 0;                    ///< added to the step; negative: the step is faster
  /// Whether peak and time are those of the steps without plans, because the study has a planned
  /// sequence. A sequence belongs to one graph, and the two steps have different graphs.
  bool is_without_plans = false;
};

/// The what-ifs that are on. Analyzes the model once more for each of them. Throws a cancelled
/// Error when cancelled.
std::vector<WhatIfSaving> what_if_savings(const Study& study, const Progress& progress = {});

/// For each value in `WhatIf::tried` that the study does not have, the effect of choosing this
/// value. Sorted by descending `peak_bytes_saved`. Values that find nothing to change are left out
/// unless something stopped them. Empty unless `can_change_graph`. Analyzes the model once for each
/// value. Throws a cancelled Error when cancelled.
std::vector<WhatIfSaving> what_if_offers(const Study& study, const Progress& progress = {});

}  // namespace stashscope
