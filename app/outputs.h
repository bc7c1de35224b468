#pragma once

#include <string>
#include <vector>

#include "app/options.h"
#include "core/study/taken_files.h"

namespace stashscope::app {

/// What was read for a subject: the session, the model with its data, the files of plans.
TakenFiles files_read(const AnalysisOptions& options, const Subject& subject);

/// Before anything takes long: throws an input Error when one of these files could not be written.
/// @param paths empty ones are not asked for
void require_writable(const std::vector<std::string>& paths);

}  // namespace stashscope::app
