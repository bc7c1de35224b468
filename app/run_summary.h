#pragma once

#include <filesystem>

#include "core/run/step/runner.h"
#include "core/study/step/study.h"

namespace stashscope::app {

/// What was measured of a study's current variant beside what was predicted, on standard output.
void print_memory(const Study& study, const Measurement& measured);
void print_times(const Measurement& measured);

/// The same in figures: bytes and seconds. What is not known is left out.
void write_summary(const Study& study, const Measurement& measured,
                   const std::filesystem::path& file);

/// One line per graph output: `digest NAME HEX`, equal for equal bits (FNV-1a of 64 bits).
void print_digests(const NamedTensors& outputs);

}  // namespace stashscope::app
