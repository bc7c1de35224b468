#pragma once

#include "app/options.h"
#include "core/study/taken_files.h"

namespace stashscope::app {

/// What was read for a subject: the session, the model with its data, the files of plans.
TakenFiles files_read(const AnalysisOptions& options, const Subject& subject);

}  // namespace stashscope::app
