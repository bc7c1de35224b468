#pragma once

#include <cuda_runtime_api.h>

#include <string>

#include "core/run/cuda/plugin/check.h"

namespace stashscope::cuda {

/// CUDA's version number as text: `13.0` for 13000.
inline std::string cuda_version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

/// Version of CUDA's runtime library.
inline std::string runtime_version() {
  int version = 0;
  check(cudaRuntimeGetVersion(&version), "querying the version of CUDA");
  return cuda_version_text(version);
}

/// The newest CUDA version that the driver supports; 0 without a driver.
inline int driver_version_number() {
  int version = 0;
  check(cudaDriverGetVersion(&version), "querying the version of CUDA");
  return version;
}

inline std::string driver_version() { return cuda_version_text(driver_version_number()); }

}  // namespace stashscope::cuda
