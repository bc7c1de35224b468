#pragma once

#include <string>
#include <vector>

#include "app/options.h"
#include "core/study/files/overwrite_guard.h"

namespace stashscope::app {

/// The files that were read: the session, the model with its data, the files of plans, the profile.
OverwriteGuard files_read(const AnalysisOptions& options, const LoadedModel& loaded);

/// Throws an input Error if one of these files cannot be written. Call it before anything that
/// takes long.
/// @param paths empty ones are ignored
void require_writable(const std::vector<std::string>& paths);

}  // namespace stashscope::app
