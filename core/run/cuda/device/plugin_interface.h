#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/run/cuda/device/device.h"

namespace stashscope::cuda {

struct PluginDevice {
  std::string name;  ///< the vendor's name for the device
  std::int64_t memory_bytes = 0;
};

struct PluginDevices {
  std::vector<PluginDevice> devices;
  std::string reason;  ///< why there are no devices; else empty
};

/// The plugin's functions. Program and plugin are built from the same sources.
struct PluginInterface {
  const char* identity;  ///< first member, so that programs of other versions can read it
  /// Lists the devices without opening them.
  PluginDevices (*list)();
  /// Opens a device for the calling thread only. Throws a run Error if the device cannot be used.
  std::unique_ptr<Device> (*open)(int index);
  /// Compiles to machine code without device or driver. `text` and `entries` are as for
  /// Device::compile. Each returned image holds some of the entries. Throws a run Error that quotes
  /// the faulty line, or that says that the architecture is too old.
  /// @param architecture compute capability, major * 10 + minor
  std::vector<std::string> (*compile)(const std::string& text,
                                      const std::vector<std::string>& entries, int architecture);
};

using PluginEntry = const PluginInterface*();
inline constexpr const char* plugin_entry_name = "stashscope_cuda_plugin";
inline constexpr const char* plugin_file_name = "libstashscope-cuda.so";

}  // namespace stashscope::cuda
