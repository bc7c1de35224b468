#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/run/measurement/device_name.h"
#include "core/run/step/runner.h"

namespace stashscope {

/// Makes the runner for the device `cpu`, `cuda` or `cuda:N`. Throws a usage Error for other names
/// and for settings that the CPU does not support, and a run Error with the reason when the device
/// is not available.
std::unique_ptr<Runner> make_runner(const std::string& device, const RunSettings& settings = {});

/// A device that the user can choose. If it is not available, `description` gives the reason.
struct DeviceInfo {
  std::string name;
  std::string description;
  bool available = false;
  std::string model = {};         ///< product name; empty: unknown
  std::int64_t memory_bytes = 0;  ///< memory of the device; 0: unknown
};
std::vector<DeviceInfo> list_devices();

/// Returns the entry of `devices` for a device name, null when no entry matches. `cuda` means the
/// first GPU; `none` means the CPU, which runs the step when no device is chosen. If there is no
/// GPU, every GPU name gives the entry whose description is the reason.
const DeviceInfo* device_meant(const std::vector<DeviceInfo>& devices, const std::string& name);

}  // namespace stashscope
