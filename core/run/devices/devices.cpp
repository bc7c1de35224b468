#include "core/run/devices/devices.h"

#include <algorithm>
#include <string_view>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/run/cpu/execute/cpu_runner.h"
#include "core/run/cuda/execute/cuda_runner.h"
#include "core/run/cuda/execute/plugin_loader.h"

namespace stashscope {

namespace {

/// The index N of the device `cuda:N`; 0 for `cuda`.
int cuda_index(const std::string& device) {
  const std::size_t colon = device.find(':');
  return colon == std::string::npos ? 0 : std::stoi(device.substr(colon + 1));
}

std::unique_ptr<Runner> make_cuda_runner(const std::string& device, const RunSettings& settings) {
  const std::string place = "device '" + device + "'";
  const cuda::PluginDevices& found = cuda::installed_devices();
  if (found.devices.empty()) fail_run(place, found.reason);
  const int index = cuda_index(device);
  const std::ptrdiff_t count = std::ssize(found.devices);
  if (index >= count) {
    fail_run(place, "does not exist",
             count == 1 ? "the only CUDA device is cuda:0"
                        : "the CUDA devices are cuda:0 to cuda:" + std::to_string(count - 1));
  }
  return std::make_unique<cuda::CudaRunner>(cuda::installed_plugin().functions->open(index),
                                            "cuda:" + std::to_string(index), settings);
}

/// Rejects options that the CPU would silently ignore.
void check_for_processor(const RunSettings& settings) {
  const auto refuse = [](const char* option) {
    fail_usage(option, "is for GPUs, but the step runs on the CPU", "add --device cuda");
  };
  if (settings.memory_limit > 0) refuse("--memory-limit");
  if (settings.rounds_to_tf32) refuse("--tf32");
  if (settings.updates) refuse("--update");
  if (!settings.traces) refuse("--no-trace");
}

}  // namespace

std::unique_ptr<Runner> make_runner(const std::string& device, const RunSettings& settings) {
  check_device_name(device);
  if (device == "cpu") {
    check_for_processor(settings);
    return std::make_unique<cpu::CpuRunner>();
  }
  if (names_cuda(device)) return make_cuda_runner(device, settings);
  fail_usage("device '" + device + "'", "cannot run a step", "choose cpu or cuda[:N]");
}

std::vector<DeviceInfo> list_devices() {
  std::vector<DeviceInfo> all = {{"cpu", "this computer's processor", true}};
  const cuda::PluginDevices& found = cuda::installed_devices();
  if (found.devices.empty()) all.push_back({"cuda", found.reason, false});
  for (const cuda::PluginDevice& device : found.devices) {
    const std::string name = "cuda:" + std::to_string(all.size() - 1);
    const std::string model = printable(device.name);
    all.push_back(
        {name, model + ", " + format_bytes(device.memory_bytes), true, model, device.memory_bytes});
  }
  return all;
}

const DeviceInfo* device_meant(const std::vector<DeviceInfo>& devices, const std::string& name) {
  const auto named = [&](std::string_view wanted) -> const DeviceInfo* {
    const auto found = std::ranges::find(devices, wanted, &DeviceInfo::name);
    return found == devices.end() ? nullptr : &*found;
  };
  if (name == "none") return named("cpu");
  if (const DeviceInfo* const exact = named(name)) return exact;
  if (!names_cuda(name)) return nullptr;
  return named(name == "cuda" ? "cuda:0" : "cuda");
}

}  // namespace stashscope
