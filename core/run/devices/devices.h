#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/run/measurement/device_name.h"
#include "core/run/step/runner.h"

namespace stashscope {

/// The runner of `cpu`, `cuda` or `cuda:N`. Throws a usage Error for other names and for settings
/// that the CPU cannot follow, and a run Error with the reason when the device is not available.
std::unique_ptr<Runner> make_runner(const std::string& device, const RunSettings& settings = {});

/// A device to choose; `description` is the reason when it is not available.
struct DeviceInfo {
  std::string name;
  std::string description;
  bool available = false;
  std::string model = {};         ///< the vendor's name; empty: unknown
  std::int64_t memory_bytes = 0;  ///< of the device; 0: unknown
};
std::vector<DeviceInfo> list_devices();

/// The entry of `devices` for a device name: `cuda` means the first GPU and `none` the CPU, which
/// then runs the step. Without any GPU, all GPU names give the entry with the reason. Null when no
/// entry matches.
const DeviceInfo* device_meant(const std::vector<DeviceInfo>& devices, const std::string& name);

}  // namespace stashscope
