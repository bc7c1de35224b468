#pragma once

#include <optional>

#include "app/batch.h"
#include "core/study/largest_fit.h"

namespace stashscope::app {

/// The largest size that is asked for; nothing without --fit. Throws a usage Error.
std::optional<LargestFit> asked_fit(const AnalysisOptions& analysis, const BatchOptions& options,
                                    const Study& study);

}  // namespace stashscope::app
