#pragma once

#include <cuda.h>

#include <span>
#include <string>
#include <vector>

#include "core/base/id.h"
#include "core/run/cuda/device/device.h"

namespace stashscope::cuda {

/// Kernels loaded on the current device.
class Kernels {
 public:
  explicit Kernels(int architecture) : architecture_(architecture) {}
  ~Kernels();
  Kernels(const Kernels&) = delete;
  Kernels& operator=(const Kernels&) = delete;

  /// Work like Device::compile and Device::launch.
  std::vector<KernelId> compile(const std::string& text, const std::vector<std::string>& entries);
  void launch(KernelId kernel, const LaunchShape& shape, std::span<const DevicePointer> operands,
              CUstream stream) const;

 private:
  CUmodule load(const std::string& code);

  int architecture_;
  std::vector<CUmodule> modules_;
  IdVector<KernelId, CUfunction> functions_;
};

}  // namespace stashscope::cuda
