#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/study/search/replanned_fit.h"

namespace stashscope {

/// The largest value for which a plan was found, the plan, and why the next larger value has none.
std::string replanned_text(const ReplannedFit& fit);

/// `{"largest", "at_least", "next", "refused", "unlimited", "values_tried", "grain"}`: "largest"
/// (or null) has "value", "peak_bytes", "later_peak_bytes", "step_seconds", "extra_seconds",
/// "config", "probe", "passes", "repeated_nodes", "repeated_runs", and "reserved_bytes" if known;
/// "next" (or null) has "value", "bound_bytes" (or null), "lowest_peak_bytes" (or null), and
/// "fault" and "reserved_bytes" if known; "at_least" says that a larger value may fit.
nlohmann::json replanned_json(const ReplannedFit& fit);

}  // namespace stashscope
