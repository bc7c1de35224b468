#pragma once

#include <unordered_map>

#include "core/run/cuda/device/device.h"

namespace stashscope::cuda {

/// Upper bound on the bytes that an allocation of `bytes` takes from a CUDA pool.
std::int64_t allocated_bytes(std::int64_t bytes);

/// Device memory of a step. The destructor releases it even after a failure. With a limit, a large
/// device acts like a smaller one. The class counts allocations itself, because a pool may notice
/// releases late.
class DeviceMemory {
 public:
  /// @param limit bytes for tensors and workspaces together; 0: all memory of the device
  DeviceMemory(Device& device, std::int64_t limit) : device_(device), limit_(limit) {}
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  /// Null if no memory is left or the limit would be exceeded.
  DevicePointer allocate(Pool pool, std::int64_t bytes);
  void release(DevicePointer memory);

  /// Sum of `allocated_bytes` over all live allocations.
  std::int64_t used_bytes() const { return used_; }
  /// Bytes that tensors and workspaces may take together, including live allocations.
  std::int64_t available_bytes() const;

 private:
  struct Piece {
    Pool pool = Pool::tensors;
    std::int64_t bytes = 0;
  };

  DevicePointer take(Pool pool, std::int64_t bytes);

  Device& device_;
  std::int64_t limit_;
  std::int64_t used_ = 0;
  std::unordered_map<DevicePointer, Piece> taken_;
};

}  // namespace stashscope::cuda
