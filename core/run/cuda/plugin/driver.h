#pragma once

#include <cuda.h>

namespace stashscope::cuda {

/// Functions of the driver API, which loads machine code. The driver is installed with the device,
/// not with CUDA. The plugin is not linked to the driver, so that the plugin can be opened without
/// a driver.
struct Driver {
  decltype(&cuModuleLoadData) load_module = nullptr;
  decltype(&cuModuleUnload) unload_module = nullptr;
  decltype(&cuModuleGetFunction) get_function = nullptr;
  decltype(&cuLaunchKernel) launch = nullptr;
  decltype(&cuGetErrorString) error_string = nullptr;

  /// Throws a run Error if no driver is installed.
  static const Driver& get();

  /// Throws a run Error with the driver's message if `status` is a failure.
  /// @param what the action that failed
  void check(CUresult status, const char* what) const;
};

}  // namespace stashscope::cuda
