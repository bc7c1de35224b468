#include "core/run/cuda/plugin/driver.h"

#include "core/base/shared_library.h"
#include "core/run/cuda/plugin/check.h"

namespace stashscope::cuda {

const Driver& Driver::get() {
  static const Driver driver = [] {
    const SharedLibrary library({"libcuda.so.1"});
    if (!library.is_open()) {
      fail_run(device_place, "no NVIDIA driver: " + printable(library.failure()));
    }
    Driver found;
    found.load_module = library.get<decltype(cuModuleLoadData)>("cuModuleLoadData");
    found.unload_module = library.get<decltype(cuModuleUnload)>("cuModuleUnload");
    found.get_function = library.get<decltype(cuModuleGetFunction)>("cuModuleGetFunction");
    found.launch = library.get<decltype(cuLaunchKernel)>("cuLaunchKernel");
    found.error_string = library.get<decltype(cuGetErrorString)>("cuGetErrorString");
    return found;
  }();
  return driver;
}

void Driver::check(CUresult status, const char* what) const {
  if (status == CUDA_SUCCESS) return;
  const char* text = nullptr;
  if (error_string(status, &text) != CUDA_SUCCESS || text == nullptr) text = "unknown error";
  fail_run(device_place, std::string(what) + " failed: " + text);
}

}  // namespace stashscope::cuda
