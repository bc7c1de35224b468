#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/run/cuda/device/plugin_interface.h"

namespace stashscope::cuda {

/// The plugin, or why it cannot be used.
struct LoadedPlugin {
  const PluginInterface* functions = nullptr;
  std::string reason;
};

/// Opens the plugin that lies in the first of these folders which has one.
LoadedPlugin load_plugin(const std::vector<std::filesystem::path>& folders);

/// That of the running program, beside it or in `../lib/stashscope`. Opened by the first call.
const LoadedPlugin& installed_plugin();

/// What it lists, or why there is nothing. Asked for once.
const PluginDevices& installed_devices();

}  // namespace stashscope::cuda
