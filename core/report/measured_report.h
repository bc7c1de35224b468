#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/report/report.h"

namespace stashscope {

/// `Measured on cpu: 2 MiB before, 1 MiB after; ...`
std::string measured_peak_line(const MeasuredPair& measured);

/// `measured_peak_line`, followed by all other measured figures.
/// @param pool settings of a pool, whose predicted memory is compared with the measured reserved
/// memory; not set: no prediction
std::string measured_text(const Study& study, const MeasuredPair& measured,
                          const std::optional<PoolSettings>& pool);

/// The measured report as JSON. A baseline that was not measured is left out.
/// @param pool as for measured_text
nlohmann::json measured_json(const Study& study, const MeasuredPair& measured,
                             const std::optional<PoolSettings>& pool);

/// One run as JSON, in bytes and seconds. Unknown figures are left out.
nlohmann::json run_json(const Measurement& run);

/// A JSON list of texts, converted to valid UTF-8.
nlohmann::json texts_json(const std::vector<std::string>& texts);

}  // namespace stashscope
