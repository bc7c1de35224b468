#include "core/run/cuda/device_memory.h"

namespace stashscope::cuda {

DevicePointer DeviceMemory::allocate(Pool pool, std::int64_t bytes) {
  if (limit_ > 0 && used_bytes() + bytes > limit_) return nullptr;
  DevicePointer const memory = device_.allocate(pool, bytes);
  if (memory != nullptr || bytes == 0) return memory;
  // The other pool may hold what nobody uses.
  device_.synchronize();
  device_.trim(Pool::tensors);
  device_.trim(Pool::workspaces);
  return device_.allocate(pool, bytes);
}

std::int64_t DeviceMemory::used_bytes() const {
  return device_.used_bytes(Pool::tensors) + device_.used_bytes(Pool::workspaces);
}

std::int64_t DeviceMemory::available_bytes() const {
  if (limit_ > 0) return limit_;
  const std::int64_t held =
      device_.reserved_bytes(Pool::tensors) + device_.reserved_bytes(Pool::workspaces);
  return device_.facts().free_bytes + held;
}

}  // namespace stashscope::cuda
