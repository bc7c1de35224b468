#pragma once

#include <filesystem>
#include <string>

#include "core/study/measured/measure.h"

namespace stashscope {

/// The JSON text of a measurement file: the identity and the measurements of a study's step.
std::string measurements_text(const Study& study, const StudyMeasurements& measured);

/// Parses the text of a measurement file. Throws an input Error if the text is no valid measurement
/// file, or if it belongs to a different step than the study's; the Error then states the
/// difference.
StudyMeasurements parse_measurements(const std::string& text, const Study& study);

void save_measurements(const Study& study, const StudyMeasurements& measured,
                       const std::filesystem::path& path);
/// Throws an input Error that names the file.
StudyMeasurements load_measurements(const std::filesystem::path& path, const Study& study);

}  // namespace stashscope
