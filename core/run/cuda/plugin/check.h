#pragma once

#include <cuda_runtime_api.h>

#include <string>

#include "core/base/error.h"

namespace stashscope::cuda {

/// The `where` part of Errors about the device.
inline constexpr const char* device_place = "the CUDA device";

/// Throws a run Error with CUDA's message if `status` is a failure.
/// @param what the action that failed, such as `copying`
inline void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  fail_run(device_place, std::string(what) + " failed: " + cudaGetErrorString(status));
}

}  // namespace stashscope::cuda
