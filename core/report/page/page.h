#pragma once

#include <string>

#include "core/report/page/limits.h"
#include "core/report/report.h"

namespace stashscope {

/// One self-contained HTML page: the answer in sentences, the tensors at the peak as an icicle, the
/// memory curve, the plans, the modules and the method. The page loads no other files and can be
/// read without JavaScript. With JavaScript, pictures and tables react to pointer and keyboard.
std::string html_report(const ReportInput& input, const PageLimits& limits = {});

}  // namespace stashscope
