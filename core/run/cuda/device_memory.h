#pragma once

#include <functional>

#include "core/run/cuda/device.h"

namespace stashscope::cuda {

/// Memory of a device, taken for a step and given back at its end, whatever comes. Keeps to a
/// limit, so that a large device can stand for a smaller one.
class DeviceMemory {
 public:
  /// @param limit bytes for tensors and workspaces together; 0: what the device has
  DeviceMemory(Device& device, std::int64_t limit) : device_(device), limit_(limit) {}

  /// Null when there is none left.
  DevicePointer allocate(Pool pool, std::int64_t bytes);
  void release(Pool pool, DevicePointer memory) { device_.release(pool, memory); }

  /// Bytes of both pools, rounded up as the allocator does.
  std::int64_t used_bytes() const;
  /// What tensors and workspaces may take together.
  std::int64_t available_bytes() const;

 private:
  Device& device_;
  std::int64_t limit_;
};

}  // namespace stashscope::cuda
