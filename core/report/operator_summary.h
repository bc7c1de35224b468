#pragma once

#include <string>

#include "core/report/report.h"

namespace stashscope {

/// Recomputable activations by operator type, with their shapes and frequencies: the summary that
/// the first version of ONNX Runtime's memory optimizer prints. If the step was measured, the
/// measured peak comes after the summary.
std::string operator_summary(const ReportInput& input);

}  // namespace stashscope
