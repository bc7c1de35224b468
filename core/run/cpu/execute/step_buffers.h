#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "core/run/cpu/execute/allocator.h"
#include "core/run/step/runner.h"

namespace stashscope::cpu {

/// The memory of the timeline's buffers during a run on the CPU, and the measurement of the run.
/// The destructor frees all memory. Keeps references to the constructor's arguments.
class StepBuffers {
 public:
  StepBuffers(const RunPlan& plan, const TraceSink& sink);
  ~StepBuffers();
  StepBuffers(const StepBuffers&) = delete;
  StepBuffers& operator=(const StepBuffers&) = delete;

  /// The block has no data unless it is allocated.
  const TrackingAllocator::Block& at(BufferId id) const { return blocks_[id]; }
  void allocate(BufferId id, std::int64_t bytes, std::uint32_t step);
  /// Records that one value of the buffer has died. Frees the buffer after its last value, unless
  /// the buffer is persistent.
  /// @return whether the buffer was freed
  bool leave(BufferId id, std::uint32_t step);
  /// Counts another value that lives in the buffer.
  void join(BufferId id) { ++values_in_[id]; }
  /// Frees the buffers that are still allocated after a micro-batch, except persistent buffers.
  void release_all(std::uint32_t step);

  /// Reports an event of the run.
  void emit(TraceEvent::Kind kind, std::uint32_t step, std::int64_t bytes, const std::string& name);
  MeasurementBuilder& measurement() { return measurement_; }

 private:
  using Clock = std::chrono::steady_clock;

  void release(BufferId id, std::uint32_t step);

  const RunPlan& plan_;
  const TraceSink& sink_;
  IdVector<BufferId, TrackingAllocator::Block> blocks_;
  IdVector<BufferId, std::uint32_t> values_in_;
  TrackingAllocator allocator_;
  MeasurementBuilder measurement_{"cpu"};
  Clock::time_point started_;
};

}  // namespace stashscope::cpu
