#pragma once

#include <string>
#include <vector>

#include "core/run/devices/devices.h"
#include "core/study/step/study.h"

namespace stashscope {

/// A profile of the device that a step ran on, fitted to the times of its nodes (roofline_fit.h).
/// The fitted figures are the achieved bytes per second, the achieved operations per second, and
/// the seconds per launch. A figure that the times do not determine is taken from `base`. The fit
/// leaves out views, nodes without a time, copies that overlapped, and members of fused groups,
/// because only the time of the whole group is known. The name of the profile is `measured on
/// <device>`. Throws an input Error if the measurement has no times to fit, or belongs to another
/// step.
/// @param measured a run of the variant
/// @param device the device that the step ran on; an unknown memory size is taken from `base`
DeviceProfile measured_profile(const Study& study, const Variant& variant,
                               const Measurement& measured, const DeviceProfile& base,
                               const DeviceInfo& device = {});

/// The keys of the figures that a measured profile takes from its base, without the efficiencies,
/// which are 1 in a measured profile.
std::vector<std::string> figures_from_base(const DeviceProfile& measured,
                                           const DeviceProfile& base);

}  // namespace stashscope
