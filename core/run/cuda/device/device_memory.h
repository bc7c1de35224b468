#pragma once

#include <unordered_map>

#include "core/run/cuda/device/device.h"

namespace stashscope::cuda {

/// The most that an allocation of so many bytes takes from one of CUDA's pools.
std::int64_t allocated_bytes(std::int64_t bytes);

/// Memory of a device, taken for a step and given back at its end, whatever comes. Keeps to a
/// limit, so that a large device can stand for a smaller one. Counts by itself what is taken: how
/// soon a pool sees that something was given back is its own affair.
class DeviceMemory {
 public:
  /// @param limit bytes for tensors and workspaces together; 0: what the device has
  DeviceMemory(Device& device, std::int64_t limit) : device_(device), limit_(limit) {}
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  /// Null when there is none left.
  DevicePointer allocate(Pool pool, std::int64_t bytes);
  void release(DevicePointer memory);

  /// Of all that is taken, by `allocated_bytes`.
  std::int64_t used_bytes() const { return used_; }
  /// What tensors and workspaces may take together.
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
