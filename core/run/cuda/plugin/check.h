#pragma once

#include <cuda_runtime_api.h>

#include <string>

#include "core/base/error.h"

namespace stashscope::cuda {

/// Where errors of the device say that they come from.
inline constexpr const char* device_place = "the CUDA device";

/// Throws a run Error with CUDA's words. @param what what was tried, such as `copying`
inline void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  fail_run(device_place, std::string(what) + " failed: " + cudaGetErrorString(status));
}

}  // namespace stashscope::cuda
