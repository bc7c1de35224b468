#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace stashscope::cuda {

/// The profiling library's record of an allocation from, or a release to, a stream-ordered pool.
struct MemoryRecord {
  std::uint64_t time = 0;  ///< ns, when the host made the call
  std::uint64_t address = 0;
  std::int64_t bytes = 0;
  bool allocates = false;      ///< false: a release
  std::uint64_t pool = 0;      ///< address that identifies the pool
  std::int64_t pool_used = 0;  ///< bytes in use after the call, rounded up as the allocator does
  std::int64_t pool_reserved = 0;  ///< bytes that the pool holds after the call
  std::uint32_t correlation = 0;   ///< id of the call, which StepRecord refers to
};

/// A kernel, copy or fill that ran on the device.
struct KernelRecord {
  std::uint64_t start = 0;  ///< ns on the device
  std::uint64_t end = 0;
  std::string name;
  std::uint32_t correlation = 0;
};

/// Attributes a call to a slot of the execution order.
struct StepRecord {
  std::uint32_t correlation = 0;
  std::uint32_t step = 0;
};

/// The records of the profiling library, unordered.
struct TraceRecords {
  std::vector<MemoryRecord> memory;
  std::vector<KernelRecord> kernels;
  std::vector<StepRecord> steps;
  std::int64_t dropped = 0;  ///< number of records lost for lack of buffer space
};

}  // namespace stashscope::cuda
