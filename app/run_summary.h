#pragma once

#include <filesystem>

#include "core/run/step/runner.h"
#include "core/study/step/study.h"

namespace stashscope::app {

/// Prints measured and predicted memory of a study's current variant.
void print_memory(const Study& study, const Measurement& measured);
/// Prints times for repeated runs only; the time of a single run says little.
void print_times(const Measurement& measured);

/// Writes measured and predicted figures as JSON, in bytes and seconds. Unknown figures are left
/// out.
void write_summary(const Study& study, const Measurement& measured,
                   const std::filesystem::path& file);

/// Prints one line per graph output: `digest NAME HEX`, the 64-bit FNV-1a hash of its bytes.
void print_digests(const NamedTensors& outputs);

}  // namespace stashscope::app
