#pragma once

#include <string>
#include <vector>

#include "app/options.h"
#include "core/study/files/overwrite_guard.h"

namespace stashscope::app {

/// A guard against overwriting any file that was read: session, model with its data, plan files,
/// profile, measurement.
OverwriteGuard files_read(const AnalysisOptions& options, const LoadedModel& loaded);

/// Throws an input Error if a file cannot be written. Call it before long work.
/// @param paths empty paths are ignored
void require_writable(const std::vector<std::string>& paths);

}  // namespace stashscope::app
