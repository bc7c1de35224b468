#pragma once

#include <cstddef>
#include <cstdint>

namespace stashscope::cpu {

/// Allocates memory and counts the requested bytes. Blocks are aligned for vector instructions; the
/// padding is not counted.
class TrackingAllocator {
 public:
  struct Block {
    std::byte* data = nullptr;
    std::int64_t bytes = 0;
  };

  /// Throws OutOfMemory when the system has no more memory.
  Block allocate(std::int64_t bytes);
  void release(Block block);

  std::int64_t live_bytes() const { return live_bytes_; }

 private:
  std::int64_t live_bytes_ = 0;
};

/// Bytes of this process in physical memory; 0 when the system does not report them.
std::int64_t resident_bytes();

}  // namespace stashscope::cpu
