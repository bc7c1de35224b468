#pragma once

#include <string>
#include <vector>

#include "app/options.h"
#include "core/study/files/overwrite_guard.h"

namespace stashscope::app {

/// What was read for a loaded: the session, the model with its data, the files of plans.
OverwriteGuard files_read(const AnalysisOptions& options, const LoadedModel& loaded);

/// Before anything takes long: throws an input Error when one of these files could not be written.
/// @param paths empty ones are not asked for
void require_writable(const std::vector<std::string>& paths);

}  // namespace stashscope::app
