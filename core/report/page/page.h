#pragma once

#include <string>

#include "core/report/page/limits.h"
#include "core/report/report.h"

namespace stashscope {

/// One self-contained HTML page: the answer, the tensors at the peak as an icicle, the memory
/// curve, the plans, the modules and how it was counted. It loads nothing, reads without
/// JavaScript, and with it the pictures and tables answer the pointer and the keyboard.
std::string html_report(const ReportInput& input, const PageLimits& limits = {});

}  // namespace stashscope
