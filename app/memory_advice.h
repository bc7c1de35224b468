#pragma once

#include <cstdint>
#include <string>

#include "core/study/step/study.h"

namespace stashscope::app {

/// Advice for a device that is too small for the current variant of a study: a plan with a lower
/// peak that fits or, if none is found, to choose smaller dimensions or to search further. The
/// search takes up to 10 seconds.
/// @param available_bytes memory of the device for tensors
std::string memory_advice(const Study& study, std::int64_t available_bytes);

}  // namespace stashscope::app
