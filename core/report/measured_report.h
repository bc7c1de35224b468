#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/report/report.h"

namespace stashscope {

/// `Measured on cpu: 2 MiB before, 1 MiB after; ...`
std::string measured_peak_line(const MeasuredPair& measured);

/// That line and all else that the runs measured.
std::string measured_text(const Study& study, const MeasuredPair& measured);

/// The same in figures; a baseline that was not measured is left out.
nlohmann::json measured_json(const Study& study, const MeasuredPair& measured);

/// One run in figures: bytes and seconds. What is not known is left out.
nlohmann::json run_json(const Measurement& run);

/// A list of texts that are valid UTF-8.
nlohmann::json texts_json(const std::vector<std::string>& texts);

}  // namespace stashscope
