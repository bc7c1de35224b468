#pragma once

#include "app/batch.h"

namespace stashscope::app {

/// Whether one of the two sides of a comparison is a memory snapshot of PyTorch.
bool compares_snapshots(const AnalysisOptions& analysis, const BatchOptions& options);

/// Reports how the memory of two snapshots differs, by line of the program, module and kind. For a
/// side that is a model or a session, the predicted step is compared. Its allocator has the
/// settings of the options or the session, or else those of the snapshot on the other side. Returns
/// 0 or throws.
int run_snapshot_comparison(const AnalysisOptions& analysis, const BatchOptions& options);

}  // namespace stashscope::app
