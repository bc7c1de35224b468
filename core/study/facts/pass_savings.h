#pragma once

#include <vector>

#include "core/study/step/study.h"

namespace stashscope {

/// Memory before and after a pass, with all earlier passes applied and without plans.
struct PassSaving {
  PassResult result;
  std::int64_t peak_bytes_before = 0;
  std::int64_t peak_bytes_after = 0;
  std::int64_t stashed_bytes_before = 0;
  std::int64_t stashed_bytes_after = 0;
};

/// One entry for each pass of the study, in the order in which the passes are applied. If there are
/// any, analyzes the model without passes, and once more for each pass that changed the model.
std::vector<PassSaving> pass_savings(const Study& study);

}  // namespace stashscope
