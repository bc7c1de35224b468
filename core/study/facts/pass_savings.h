#pragma once

#include <vector>

#include "core/study/step/study.h"

namespace stashscope {

/// What memory needs before and after a pass, with all passes before it applied, without plans.
struct PassSaving {
  PassResult result;
  std::int64_t peak_bytes_before = 0;
  std::int64_t peak_bytes_after = 0;
  std::int64_t stashed_bytes_before = 0;
  std::int64_t stashed_bytes_after = 0;
};

/// One entry for each pass of the study, in the order they were applied. Every pass that changed
/// something costs one more analysis of the model.
std::vector<PassSaving> pass_savings(const Study& study);

}  // namespace stashscope
