#pragma once

#include <string>

#include "core/report/report.h"

namespace stashscope {

/// What can be recomputed by operator type, with the shapes of the activations and how often each
/// occurs: the summary that the first version of the reference's feature printed. What was measured
/// follows.
std::string operator_summary(const ReportInput& input);

}  // namespace stashscope
