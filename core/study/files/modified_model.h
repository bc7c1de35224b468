#pragma once

#include <filesystem>

#include "core/study/step/study.h"

namespace stashscope {

/// Writes the study's modified graph as a model, atomically, with the external data beside `path`.
/// Throws an input Error when a file cannot be written, or when the external data would overwrite
/// the file from which it is read. Throws a usage Error for a captured step with plans.
void save_modified_model(const Study& study, const std::filesystem::path& path);

}  // namespace stashscope
