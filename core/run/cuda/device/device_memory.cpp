#include "core/run/cuda/device/device_memory.h"

#include <algorithm>

#include "core/base/units.h"

namespace stashscope::cuda {

std::int64_t allocated_bytes(std::int64_t bytes) {
  constexpr std::int64_t granularity = 512;
  return rounded_up(std::max<std::int64_t>(bytes, 1), granularity);
}

DeviceMemory::~DeviceMemory() {
  for (const auto& [memory, piece] : taken_) {
    without_failing([&] { device_.release(piece.pool, memory); });
  }
}

DevicePointer DeviceMemory::allocate(Pool pool, std::int64_t bytes) {
  const std::int64_t rounded = allocated_bytes(bytes);
  if (limit_ > 0 && used_ + rounded > limit_) return nullptr;
  DevicePointer const memory = take(pool, bytes);
  if (memory == nullptr) return nullptr;
  taken_.emplace(memory, Piece{pool, rounded});
  used_ += rounded;
  return memory;
}

DevicePointer DeviceMemory::take(Pool pool, std::int64_t bytes) {
  DevicePointer const memory = device_.allocate(pool, bytes);
  if (memory != nullptr) return memory;
  // Retries after both pools return their unused memory, because the other pool may hold unused
  // memory.
  device_.synchronize();
  device_.trim(Pool::tensors);
  device_.trim(Pool::workspaces);
  return device_.allocate(pool, bytes);
}

void DeviceMemory::release(DevicePointer memory) {
  const auto found = taken_.find(memory);
  const Piece piece = found->second;
  taken_.erase(found);
  used_ -= piece.bytes;
  device_.release(piece.pool, memory);
}

std::int64_t DeviceMemory::available_bytes() const {
  if (limit_ > 0) return limit_;
  const std::int64_t held =
      device_.reserved_bytes(Pool::tensors) + device_.reserved_bytes(Pool::workspaces);
  return device_.facts().free_bytes + held;
}

}  // namespace stashscope::cuda
