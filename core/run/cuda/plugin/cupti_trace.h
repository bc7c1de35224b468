#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/run/cuda/device/trace_records.h"

namespace stashscope::cuda {

/// Records of what the device does, by CUPTI, whose library is opened at run time: nothing else
/// needs it. One for the program, since the library's callbacks carry no data of ours.
class CuptiTrace {
 public:
  /// To be made before the device is first used, since the library then decides where it keeps its
  /// own buffers: in the host's memory, or they would count as the device's.
  CuptiTrace();
  ~CuptiTrace();
  CuptiTrace(const CuptiTrace&) = delete;
  CuptiTrace& operator=(const CuptiTrace&) = delete;

  /// Says why not when it cannot; empty when it does.
  std::string start();
  /// What this thread asks of the device from now on belongs to this step.
  void begin_step(std::uint32_t step);
  /// The records since the start; the device's work must have ended.
  TraceRecords stop();

 private:
  class Library;

  std::unique_ptr<Library> library_;
  std::string reason_;  // why there is no library
  bool runs_ = false;
  bool in_step_ = false;
};

}  // namespace stashscope::cuda
