#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/run/cuda/device/device.h"
#include "core/run/cuda/device/trace_records.h"
#include "core/run/measurement/trace.h"

namespace stashscope::cuda {

/// One action of the runner on the host. The events of a node are in this order: start, allocations
/// of tensors, allocations and releases of workspaces, end, releases of tensors.
struct HostEvent {
  enum class Kind : std::uint8_t { allocate, release, node_start, node_end };

  Kind kind = Kind::node_start;
  std::uint32_t step = 0;  ///< slot of the execution order
  std::int64_t bytes = 0;  ///< requested
  Pool pool = Pool::tensors;
  std::uint64_t address = 0;
  std::string name;  ///< of the tensor or node; may be empty
};

/// The work of the device in one slot of the execution order.
struct StepWork {
  double kernel_seconds = 0;  ///< time during which kernels, copies or fills ran
  std::int64_t kernels = 0;   ///< number of kernels, copies and fills

  friend bool operator==(const StepWork&, const StepWork&) = default;
};

/// A number of bytes for each pool, rounded up as the allocator does.
struct PoolBytes {
  std::int64_t tensors = 0;
  std::int64_t workspaces = 0;

  std::int64_t operator[](Pool pool) const { return pool == Pool::tensors ? tensors : workspaces; }
};

struct JoinedTrace {
  std::vector<TraceEvent> events;
  std::vector<StepWork> work;        ///< by slot
  std::vector<std::string> remarks;  ///< which numbers are inexact, and why
};

/// Joins the runner's actions with the records of the profiling library.
/// - Times are measured by the device, in seconds since the first kernel of the training step
/// started. A node starts with its first kernel and ends with its last kernel; a node without
/// kernels takes no time and lies at the end of the node before it.
/// - Bytes in use after an event come from its record, rounded up as the allocator does. For an
/// event without a record, the bytes in use change by the requested bytes, rounded up to 512. All
/// records of a pool are ignored in two cases. First, the peak of the requested bytes is closer to
/// the peak that the pool counted than the peak of the records is. Second, both are equally close,
/// but by the records the bytes in use fall at an allocation or rise at a release.
/// - Allocations from the workspace pool and releases to it become `workspace` events. A `reserved`
/// event marks each new maximum of the bytes that both pools hold together.
/// @param events the runner's actions, in order
/// @param start bytes in use before the first event
/// @param most peak bytes in use since the first event, as counted by the pools; 0: unknown
JoinedTrace join_trace(const std::vector<HostEvent>& events, const TraceRecords& records,
                       const PoolBytes& start = {}, const PoolBytes& most = {});

}  // namespace stashscope::cuda
