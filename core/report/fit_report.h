#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "core/study/search/largest_fit.h"
#include "core/study/search/replanned_fit.h"

namespace stashscope {

/// The largest values of the varied dimensions with which the step fits into the memory, as the
/// baseline and as the current variant, and why the next larger values fail. With `replanned`, also
/// the largest value if a plan of its own is made for each value.
std::string fit_text(const Study& study, const LargestFit& fit,
                     const std::optional<ReplannedFit>& replanned = {});

/// `{"label", "dims": [...], "memory_bytes", "baseline": {...}, "current": {...}}`; each variant
/// has "largest" and "next" (or null), "refused" (or null), "unlimited", "values_tried". If the
/// question limits the memory of the device, also "device_limit_bytes". With `replanned`, also
/// "replanned" (replanned_report.h).
nlohmann::json fit_json(const Study& study, const LargestFit& fit,
                        const std::optional<ReplannedFit>& replanned = {});

}  // namespace stashscope
