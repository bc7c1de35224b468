#pragma once

#include <string>

#include "core/report/report.h"

namespace stashscope {

/// Recomputable activations by operator type, with their shapes and frequencies: the summary that
/// ONNX Runtime's first version of its memory optimizer prints. The measured peak follows.
std::string operator_summary(const ReportInput& input);

}  // namespace stashscope
