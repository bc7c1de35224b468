#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/run/cuda/device/trace_records.h"

namespace stashscope::cuda {

/// Records the device's work with CUPTI. The library is opened at run time, because only traces
/// need it. Only one object may exist at a time, because the library's callbacks carry no user
/// data.
class CuptiTrace {
 public:
  /// Must be constructed before the first use of the device. Otherwise the library's buffers take
  /// device memory instead of host memory.
  CuptiTrace();
  ~CuptiTrace();
  CuptiTrace(const CuptiTrace&) = delete;
  CuptiTrace& operator=(const CuptiTrace&) = delete;

  /// Returns the reason if recording is impossible, else an empty text.
  std::string start();
  /// Starts slot `step` of the execution order: all work that this thread queues from now on
  /// belongs to this slot.
  void begin_step(std::uint32_t step);
  /// The records since `start`. The device's work must have ended.
  TraceRecords stop();

 private:
  class Library;

  std::unique_ptr<Library> library_;
  std::string reason_;  ///< why the library could not be opened
  bool runs_ = false;
  bool in_step_ = false;
};

}  // namespace stashscope::cuda
