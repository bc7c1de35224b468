#pragma once

#include <cuda.h>

namespace stashscope::cuda {

/// Functions of the driver's own interface, which loads machine code. The driver comes with the
/// device and not with CUDA, so the plugin is not linked to it: it must open without one.
struct Driver {
  decltype(&cuModuleLoadData) load_module = nullptr;
  decltype(&cuModuleUnload) unload_module = nullptr;
  decltype(&cuModuleGetFunction) get_function = nullptr;
  decltype(&cuLaunchKernel) launch = nullptr;
  decltype(&cuGetErrorString) error_string = nullptr;

  /// Throws a run Error where there is none.
  static const Driver& get();

  /// Throws a run Error with the driver's words.
  void check(CUresult status, const char* what) const;
};

}  // namespace stashscope::cuda
