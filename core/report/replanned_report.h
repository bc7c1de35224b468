#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/study/search/replanned_fit.h"

namespace stashscope {

/// The largest value for which a plan was found, this plan, and why the next larger value has no
/// plan.
std::string replanned_text(const ReplannedFit& fit);

/// `{"largest", "at_least", "next", "refused", "unlimited", "values_tried", "grain"}`: "largest"
/// (or null) has "value", "peak_bytes", "later_peak_bytes", "host_bytes", "step_seconds",
/// "extra_seconds", "config", "probe", "passes", "repeated_nodes", "repeated_runs"; "next" (or
/// null) has "value", "bound_bytes" (or null), "lowest_peak_bytes" (or null), and "fault" if there
/// is one. Both have "reserved_bytes" and "device_bytes" if these are known. "at_least" is true if
/// a larger value may fit.
nlohmann::json replanned_json(const ReplannedFit& fit);

}  // namespace stashscope
