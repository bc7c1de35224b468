#pragma once

#include <filesystem>
#include <string>

#include "core/study/measured/measure.h"

namespace stashscope {

/// The JSON text of a file that holds what runs of a study's step measured, and which step that
/// was.
std::string measurements_text(const Study& study, const StudyMeasurements& measured);

/// What such a text holds. Throws an input Error when it is none, is broken, or when it is of
/// another step than the study's, and says what is different.
StudyMeasurements parse_measurements(const std::string& text, const Study& study);

void save_measurements(const Study& study, const StudyMeasurements& measured,
                       const std::filesystem::path& path);
/// Throws an input Error that names the file.
StudyMeasurements load_measurements(const std::filesystem::path& path, const Study& study);

}  // namespace stashscope
