#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/run/cuda/device/device.h"
#include "core/run/cuda/device/trace_records.h"
#include "core/run/measurement/trace.h"

namespace stashscope::cuda {

/// What the runner did on the host. What it allocates for a node lies behind the node's start, what
/// it releases then behind its end.
struct HostEvent {
  enum class Kind : std::uint8_t { allocate, release, node_start, node_end };

  Kind kind = Kind::node_start;
  std::uint32_t step = 0;
  std::int64_t bytes = 0;  ///< that were asked for
  Pool pool = Pool::tensors;
  std::uint64_t address = 0;
  std::string name;  ///< of the tensor or node; empty where there is none
};

/// What the device did for a step of the order.
struct StepWork {
  double kernel_seconds = 0;  ///< in which kernels, copies and fills ran
  std::int64_t kernels = 0;   ///< how many they were

  friend bool operator==(const StepWork&, const StepWork&) = default;
};

/// Bytes of each pool, rounded up as the allocator does.
struct PoolBytes {
  std::int64_t tensors = 0;
  std::int64_t workspaces = 0;

  std::int64_t operator[](Pool pool) const { return pool == Pool::tensors ? tensors : workspaces; }
};

struct JoinedTrace {
  std::vector<TraceEvent> events;
  std::vector<StepWork> work;        ///< by step
  std::vector<std::string> remarks;  ///< what of the records is missing or fits nothing
};

/// Joins what the runner did with what the profiling library saw of it.
/// - Times are the device's, in seconds since the first kernel of a step started. A node starts
///   with its first kernel and ends with its last; one without kernels takes no time at the end of
///   the node before.
/// - Bytes in use are what the records say after each event, rounded up as the allocator does; with
///   no record they change by what was asked for, rounded up to 512 bytes. So they do throughout
///   when that comes closer to the most that the pool itself had in use, or as close while the
///   records move against the events.
/// - Memory of the workspace pool becomes `workspace` events; `reserved` events tell when both
///   pools together hold more than ever before.
/// @param events in the order in which the runner did them
/// @param start in use before the first of them
/// @param most that was in use since then, as the pools say; 0: unknown
JoinedTrace join_trace(const std::vector<HostEvent>& events, const TraceRecords& records,
                       const PoolBytes& start = {}, const PoolBytes& most = {});

}  // namespace stashscope::cuda
