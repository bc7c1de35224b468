#include "core/run/cuda/execute/plugin_loader.h"

#include "core/base/error.h"
#include "core/base/shared_library.h"
#include "core/process/run_child.h"
#include "core/run/cuda/device/plugin_identity.h"

namespace stashscope::cuda {

namespace {

LoadedPlugin refused(const std::string& reason) { return {nullptr, reason}; }

LoadedPlugin open_plugin(const std::filesystem::path& file) {
  const SharedLibrary library({file.string()});
  if (!library.is_open()) {
    return refused("the CUDA plugin cannot be opened: " + printable(library.failure()));
  }
  auto* const entry = library.find<PluginEntry>(plugin_entry_name);
  if (entry == nullptr)
    return refused(printable(file.string()) + " is not a plugin of this program");
  const PluginInterface* const functions = entry();
  if (std::string(functions->identity) != plugin_identity) {
    return refused("the CUDA plugin has version " + printable(functions->identity) +
                   ", but this program has version " + plugin_identity);
  }
  return {functions, ""};
}

PluginDevices list_with(const LoadedPlugin& plugin) {
  if (plugin.functions == nullptr) return {{}, plugin.reason};
  return plugin.functions->list();
}

}  // namespace

LoadedPlugin load_plugin(const std::vector<std::filesystem::path>& folders) {
  std::error_code status;
  for (const std::filesystem::path& folder : folders) {
    const std::filesystem::path file = folder / plugin_file_name;
    if (std::filesystem::exists(file, status)) return open_plugin(file);
  }
  return refused("the CUDA plugin is not installed: " +
                 printable((folders.front() / plugin_file_name).string()) + " is missing");
}

const LoadedPlugin& installed_plugin() {
  static const LoadedPlugin plugin = [] {
    const std::filesystem::path folder = running_program().parent_path();
    return load_plugin({folder, folder.parent_path() / "lib" / "stashscope"});
  }();
  return plugin;
}

const PluginDevices& installed_devices() {
  static const PluginDevices devices = list_with(installed_plugin());
  return devices;
}

}  // namespace stashscope::cuda
