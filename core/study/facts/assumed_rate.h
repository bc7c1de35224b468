#pragma once

#include <string>

#include "core/study/step/study.h"

namespace stashscope {

/// A sentence about the rate that predicted times assume for products of float32 and about
/// PyTorch's default rate. Empty if all times are measured, if the study has no float32 parameter,
/// or if the device's matrix units have no rate for TF32 above the rate of float32.
std::string assumed_float32_rate(const Study& study);

}  // namespace stashscope
