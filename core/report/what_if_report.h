#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/study/what_if/what_if_savings.h"

namespace stashscope {

/// For each what-if, a line with its savings, followed by a line for each of the first places that
/// it could not change. Empty without what-ifs.
/// @param title the line above all others
std::string what_if_lines(const std::string& title, const std::vector<WhatIfSaving>& savings);

/// A list of {"name", "value", "found", "changed", "stopped_by": [{"node", "reason"}],
/// "saving_bytes", "saving_symbolic", "saving_at_peak_bytes", "seconds", "without_plans"}.
nlohmann::json what_ifs_json(const std::vector<WhatIfSaving>& savings);

}  // namespace stashscope
