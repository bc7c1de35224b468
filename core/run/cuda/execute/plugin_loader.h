#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/run/cuda/device/plugin_interface.h"

namespace stashscope::cuda {

/// The plugin's functions, or the reason why the plugin cannot be used.
struct LoadedPlugin {
  const PluginInterface* functions = nullptr;
  std::string reason;
};

/// Opens the plugin from the first folder that contains the plugin's file. There must be at least
/// one folder.
LoadedPlugin load_plugin(const std::vector<std::filesystem::path>& folders);

/// The plugin of the running program, from the program's folder or `../lib/stashscope`. The first
/// call opens the plugin.
const LoadedPlugin& installed_plugin();

/// The devices that the installed plugin lists, or the reason why there are none. Later calls
/// return the list of the first call.
const PluginDevices& installed_devices();

}  // namespace stashscope::cuda
