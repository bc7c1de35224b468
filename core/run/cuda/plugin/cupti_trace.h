#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/run/cuda/device/trace_records.h"

namespace stashscope::cuda {

/// Records of the device's work by CUPTI. The library is opened at run time because nothing else
/// needs it. One object per program, since the library's callbacks carry no user data.
class CuptiTrace {
 public:
  /// Must be made before the first use of the device: the library then decides to keep its own
  /// buffers in host memory, where they do not count as device memory.
  CuptiTrace();
  ~CuptiTrace();
  CuptiTrace(const CuptiTrace&) = delete;
  CuptiTrace& operator=(const CuptiTrace&) = delete;

  /// Returns why records cannot be kept; empty when they are.
  std::string start();
  /// Work of this thread from now on belongs to this slot of the execution order.
  void begin_step(std::uint32_t step);
  /// The records since `start`. The device's work must have ended.
  TraceRecords stop();

 private:
  class Library;

  std::unique_ptr<Library> library_;
  std::string reason_;  // why the library is missing
  bool runs_ = false;
  bool in_step_ = false;
};

}  // namespace stashscope::cuda
