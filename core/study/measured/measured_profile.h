#pragma once

#include <string>
#include <vector>

#include "core/run/devices/devices.h"
#include "core/study/step/study.h"

namespace stashscope {

/// A profile of the device that a step ran on, fitted to the times of its nodes: bytes and
/// operations per second that were reached, and the seconds that a launch takes. What the step has
/// no evidence for is that of `base`; roofline_fit.h says how the figures are found. Views, nodes
/// without a time and members of fused groups, of which only the time of all together is known, do
/// not count. The name is `measured on <device>`.
/// @param measured a run of the variant, in its order
/// @param device what it ran on; its memory is that of `base` where it is not known
/// Throws an input Error when the measurement has no times to fit, or is of another step.
DeviceProfile measured_profile(const Study& study, const Variant& variant,
                               const Measurement& measured, const DeviceProfile& base,
                               const DeviceInfo& device = {});

/// The keys of the figures that a measured profile has from its base.
std::vector<std::string> figures_from_base(const DeviceProfile& measured,
                                           const DeviceProfile& base);

}  // namespace stashscope
