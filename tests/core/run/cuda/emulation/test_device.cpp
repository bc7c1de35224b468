#include "test_device.h"

#include <cstdlib>
#include <string>

#include "core/base/error.h"
#include "core/run/cuda/execute/plugin_loader.h"

namespace stashscope::testing_run {

namespace {

const char* real_device_name() { return std::getenv("STASHSCOPE_TEST_DEVICE"); }

int index_in(const std::string& name) {
  if (!name.starts_with("cuda:"))
    fail_usage("STASHSCOPE_TEST_DEVICE", "is no device such as cuda:0");
  return std::stoi(name.substr(5));
}

std::shared_ptr<cuda::Device> open_device(const std::string& name) {
  const cuda::PluginDevices& devices = cuda::installed_devices();
  if (devices.devices.empty()) fail_run("device '" + name + "'", devices.reason);
  return cuda::installed_plugin().functions->open(index_in(name));
}

/// The device is never closed, because the order in which its libraries shut down is unknown.
const std::shared_ptr<cuda::Device>& real_device() {
  static const auto& device = *new std::shared_ptr<cuda::Device>(open_device(real_device_name()));
  return device;
}

}  // namespace

bool tests_run_on_gpu() { return real_device_name() != nullptr; }

std::shared_ptr<cuda::Device> test_device(EmulatedDevice::TextCheck check) {
  if (tests_run_on_gpu()) return real_device();
  return std::make_shared<EmulatedDevice>(EmulatedDevice::unlimited, check);
}

}  // namespace stashscope::testing_run
