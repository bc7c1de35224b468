#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/study/search/largest_fit.h"

namespace stashscope {

/// The largest values that fit without and with the choices, and why the next larger values fail.
std::string fit_text(const Study& study, const LargestFit& fit);

/// `{"label", "dims": [...], "memory_bytes", "baseline": {...}, "current": {...}}`; each variant
/// has "largest" and "next" (or null), "refused" (or null), "unlimited", "values_tried".
nlohmann::json fit_json(const Study& study, const LargestFit& fit);

}  // namespace stashscope
