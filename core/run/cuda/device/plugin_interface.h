#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/run/cuda/device/device.h"

namespace stashscope::cuda {

struct PluginDevice {
  std::string name;  ///< as the vendor calls it
  std::int64_t memory_bytes = 0;
};

struct PluginDevices {
  std::vector<PluginDevice> devices;
  std::string reason;  ///< why there are none; empty when there are
};

/// What the plugin's library does for the program, both built from the same sources.
struct PluginInterface {
  const char* identity;  ///< first, so that any program can read it
  /// Starts nothing on the devices.
  PluginDevices (*list)();
  /// Throws a run Error when the device cannot be used. The Device works for the thread that opened
  /// it.
  std::unique_ptr<Device> (*open)(int index);
  /// Machine code, each image for a part of the entries of `text`, as Device::compile takes it;
  /// needs no device and no driver. Throws a run Error that tells the line of a fault.
  /// @param architecture major * 10 + minor of the compute capability
  std::vector<std::string> (*compile)(const std::string& text,
                                      const std::vector<std::string>& entries, int architecture);
};

using PluginEntry = const PluginInterface*();
inline constexpr const char* plugin_entry_name = "stashscope_cuda_plugin";
inline constexpr const char* plugin_file_name = "libstashscope-cuda.so";

}  // namespace stashscope::cuda
