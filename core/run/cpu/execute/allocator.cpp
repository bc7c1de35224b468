#include "core/run/cpu/execute/allocator.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "core/base/text.h"
#include "core/run/step/available_memory.h"
#include "core/run/step/runner.h"

namespace stashscope::cpu {

namespace {

constexpr std::size_t alignment = 64;

}  // namespace

TrackingAllocator::Block TrackingAllocator::allocate(std::int64_t bytes) {
  const auto wanted = static_cast<std::size_t>(bytes);
  const std::size_t rounded = (wanted + alignment) / alignment * alignment;
  auto* const data = static_cast<std::byte*>(std::aligned_alloc(alignment, rounded));
  if (data == nullptr) {
    throw OutOfMemory("",
                      "out of memory: " + format_bytes(bytes) + " are needed in addition to " +
                          format_bytes(live_bytes_) + " in use",
                      live_bytes_ + available_memory(),
                      "switch on more recompute plans or choose smaller dimensions");
  }
  live_bytes_ += bytes;
  return {data, bytes};
}

void TrackingAllocator::release(Block block) {
  live_bytes_ -= block.bytes;
  std::free(block.data);
}

std::int64_t resident_bytes() {
  // The second number in statm is the number of resident pages. (proc(5))
  std::FILE* const file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr) return 0;
  long long size = 0;
  long long resident = 0;
  const int read = std::fscanf(file, "%lld %lld", &size, &resident);
  std::fclose(file);
  return read == 2 ? resident * ::sysconf(_SC_PAGESIZE) : 0;
}

}  // namespace stashscope::cpu
