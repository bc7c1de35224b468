#pragma once

#include <chrono>

#include "core/run/cuda/device/trace_join.h"
#include "core/run/cuda/execute/program.h"

namespace stashscope::cuda {

struct LoggedStep {
  Measurement measurement;
  std::vector<std::string> remarks;  ///< which numbers are inexact, and why
};

/// Records a run of a step and makes its measurement. If the profiling library gives no trace, the
/// run waits for the device after every node to measure the time of the node, and reads the bytes
/// in use from the pools. Workspaces that exist during the whole step count only as reserved bytes.
/// Keeps references to the constructor's arguments.
class StepLog {
 public:
  /// @param traces false: only the time and the peak bytes of the whole step are measured
  StepLog(const RunPlan& plan, const Program& program, Device& device, bool traces);

  void start();
  void start_node(std::uint32_t step);
  void allocated(BufferId id, DevicePointer memory);
  /// Logs a release. Call this function after the release, because the log may read the pool's
  /// bytes in use.
  void released(BufferId id, DevicePointer memory);
  void took_workspace(std::int64_t bytes, DevicePointer memory);
  void gave_back_workspace(std::int64_t bytes, DevicePointer memory);
  void end_node();
  /// Ends the last slot. Work that is queued from now on belongs to no slot.
  void end_steps();

  /// Waits for the device, then returns the measurement.
  /// @param sink receives all events; may be null
  LoggedStep finish(const std::string& device_name, const TraceSink& sink);
  /// Ends the trace of a failed run.
  void abandon();

 private:
  enum class Mode : std::uint8_t { traced, node_by_node, untraced };
  using Clock = std::chrono::steady_clock;

  void add(HostEvent::Kind kind, std::int64_t bytes, Pool pool, DevicePointer memory,
           std::string name);
  void add_now(TraceEvent::Kind kind, std::int64_t bytes, const std::string& name);
  /// @param bytes positive for an allocation, negative for a release
  void count(std::int64_t bytes);
  PoolBytes take_peaks() const;
  std::int64_t reserved_bytes() const;
  Measurement measured(const std::string& device_name, const TraceSink& sink) const;
  std::vector<TraceEvent> events_of_persistent() const;
  std::string node_name() const;
  std::string buffer_name(BufferId id) const;

  const RunPlan& plan_;
  const Program& program_;
  Device& device_;
  Mode mode_;
  std::string why_not_traced_;
  PoolBytes start_;
  std::uint32_t step_ = 0;
  std::int64_t together_ = 0;  ///< bytes of tensors and workspaces now allocated
  std::int64_t most_together_ = 0;
  std::vector<HostEvent> host_events_;
  std::vector<TraceEvent> events_;  ///< recorded node by node, or made by join_trace
  Clock::time_point started_;
};

}  // namespace stashscope::cuda
