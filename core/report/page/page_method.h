#pragma once

#include <string>

#include "core/report/report.h"

namespace stashscope {

/// How the figures came about, as HTML: the memory model in sentences, then model, sizes, choices,
/// versions, warnings and the command.
std::string method_html(const ReportInput& input);

}  // namespace stashscope
