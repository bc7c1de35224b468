#pragma once

#include <string>

#include "core/report/report.h"

namespace stashscope {

/// How the figures were computed, as HTML: the memory model in sentences, then model, sizes,
/// choices, warnings, versions and the command.
std::string method_html(const ReportInput& input);

}  // namespace stashscope
