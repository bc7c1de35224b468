#include <cuda_runtime_api.h>

#include "core/run/cuda/device/plugin_identity.h"
#include "core/run/cuda/device/plugin_interface.h"
#include "core/run/cuda/plugin/check.h"
#include "core/run/cuda/plugin/cuda_device.h"
#include "core/run/cuda/plugin/kernel_compiler.h"
#include "core/run/cuda/plugin/versions.h"

namespace stashscope::cuda {

namespace {

std::string reason_for(cudaError_t status) {
  if (status == cudaErrorNoDevice) return "no CUDA device";
  if (status == cudaErrorInsufficientDriver) {
    return "the driver (CUDA " + driver_version() + ") is too old for CUDA " + runtime_version();
  }
  return cudaGetErrorString(status);
}

PluginDevice describe(int index) {
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, index), "querying the device");
  return {properties.name, static_cast<std::int64_t>(properties.totalGlobalMem)};
}

PluginDevices list_devices() {
  if (driver_version_number() == 0) return {{}, "no NVIDIA driver"};
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status != cudaSuccess) return {{}, reason_for(status)};
  if (count == 0) return {{}, reason_for(cudaErrorNoDevice)};
  PluginDevices found;
  for (int index = 0; index < count; ++index) found.devices.push_back(describe(index));
  return found;
}

/// Lists the devices. Turns Errors into a reason, because a failing CUDA device must not hide the
/// program's other devices.
PluginDevices list_or_reason() {
  try {
    return list_devices();
  } catch (const Error& error) {
    return {{}, error.reason()};
  }
}

std::unique_ptr<Device> open_device(int index) { return std::make_unique<CudaDevice>(index); }

std::vector<std::string> compile(const std::string& text, const std::vector<std::string>& entries,
                                 int architecture) {
  std::vector<std::string> images;
  for (KernelImage& image : compile_kernels(text, entries, architecture)) {
    images.push_back(std::move(image.code));
  }
  return images;
}

}  // namespace

}  // namespace stashscope::cuda

extern "C" __attribute__((visibility("default"))) const stashscope::cuda::PluginInterface*
stashscope_cuda_plugin() {
  using namespace stashscope::cuda;
  static constexpr PluginInterface interface = {plugin_identity, list_or_reason, open_device,
                                                compile};
  return &interface;
}
