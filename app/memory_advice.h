#pragma once

#include <cstdint>
#include <string>

#include "core/study/step/study.h"

namespace stashscope::app {

/// What can be done when a device has no room for the current variant of a study: a plan that is
/// below what is on and would fit, or how to look for one. Searches for some seconds.
/// @param available_bytes what the device has for tensors
std::string memory_advice(const Study& study, std::int64_t available_bytes);

}  // namespace stashscope::app
