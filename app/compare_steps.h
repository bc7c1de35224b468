#pragma once

#include "app/batch.h"

namespace stashscope::app {

/// Reports what two sessions or models have in common and where they differ. The options change
/// only the choices of the first session or model. Returns 0 or throws.
int run_comparison(const AnalysisOptions& analysis, const BatchOptions& options);

}  // namespace stashscope::app
