#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/run/step/runner.h"

namespace stashscope {

/// The runner of `cpu`, `cuda` or `cuda:N`. Throws a usage Error for other names and a run Error
/// that says why a device is not available.
std::unique_ptr<Runner> make_runner(const std::string& device, const RunSettings& settings = {});

/// Throws a usage Error when `device` is not spelled `none`, `cpu`, `cuda` or `cuda:N`.
void check_device_name(const std::string& device);

/// What the user can choose from, with the reason when a device is not available.
struct DeviceInfo {
  std::string name;
  std::string description;
  bool available = false;
  std::string model = {};         ///< as its vendor calls it; empty: not known
  std::int64_t memory_bytes = 0;  ///< its own; 0: not known
};
std::vector<DeviceInfo> list_devices();

/// The one of `devices` that is meant by a name: `cuda` is the first GPU, and `none` the device on
/// which a step runs then, the processor. Where there is no GPU, all GPUs are the entry that says
/// why. Null when there is none.
const DeviceInfo* device_meant(const std::vector<DeviceInfo>& devices, const std::string& name);

}  // namespace stashscope
