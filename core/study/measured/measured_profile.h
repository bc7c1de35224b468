#pragma once

#include <string>
#include <vector>

#include "core/run/devices/devices.h"
#include "core/study/step/study.h"

namespace stashscope {

/// A profile of the device that a step ran on, fitted to the times of its nodes (roofline_fit.h):
/// the achieved bytes per second and operations per second, and the seconds per launch. Figures for
/// which the step gives no evidence are taken from `base`. The fit leaves out views, nodes without
/// a time, and members of fused groups, because only the time of the group is known. The name is
/// `measured on <device>`.
/// @param measured a run of the variant
/// @param device the device that the step ran on; an unknown memory size is taken from `base`
/// Throws an input Error if the measurement has no times to fit, or belongs to another step.
DeviceProfile measured_profile(const Study& study, const Variant& variant,
                               const Measurement& measured, const DeviceProfile& base,
                               const DeviceInfo& device = {});

/// The keys of the figures that a measured profile takes from its base.
std::vector<std::string> figures_from_base(const DeviceProfile& measured,
                                           const DeviceProfile& base);

}  // namespace stashscope
