#include "core/run/cuda/execute/step_log.h"

#include <algorithm>
#include <limits>

#include "core/run/cuda/device/device_memory.h"

namespace stashscope::cuda {

namespace {

constexpr std::uint32_t no_step = std::numeric_limits<std::uint32_t>::max();

std::uint64_t address_of(DevicePointer memory) { return reinterpret_cast<std::uintptr_t>(memory); }

}  // namespace

StepLog::StepLog(const RunPlan& plan, const Program& program, Device& device, bool traces)
    : plan_(plan),
      program_(program),
      device_(device),
      mode_(traces ? Mode::traced : Mode::untraced) {}

void StepLog::start() {
  device_.synchronize();
  start_ = {device_.used_bytes(Pool::tensors), device_.used_bytes(Pool::workspaces)};
  take_peaks();
  together_ = start_.tensors;
  most_together_ = together_;
  if (mode_ == Mode::traced) {
    why_not_traced_ = device_.start_trace();
    if (!why_not_traced_.empty()) mode_ = Mode::node_by_node;
  }
  started_ = Clock::now();
}

void StepLog::start_node(std::uint32_t step) {
  step_ = step;
  if (mode_ == Mode::traced) {
    device_.begin_step(step);
    add(HostEvent::Kind::node_start, 0, Pool::tensors, nullptr, node_name());
  } else if (mode_ == Mode::node_by_node) {
    add_now(TraceEvent::Kind::node_start, 0, node_name());
  }
}

void StepLog::allocated(BufferId id, DevicePointer memory) {
  const std::int64_t bytes = program_.buffer_bytes[id];
  count(allocated_bytes(bytes));
  if (mode_ == Mode::traced) {
    add(HostEvent::Kind::allocate, bytes, Pool::tensors, memory, buffer_name(id));
  } else if (mode_ == Mode::node_by_node) {
    add_now(TraceEvent::Kind::allocate, bytes, buffer_name(id));
  }
}

void StepLog::released(BufferId id, DevicePointer memory) {
  const std::int64_t bytes = program_.buffer_bytes[id];
  count(-allocated_bytes(bytes));
  if (mode_ == Mode::traced) {
    add(HostEvent::Kind::release, bytes, Pool::tensors, memory, buffer_name(id));
  } else if (mode_ == Mode::node_by_node) {
    add_now(TraceEvent::Kind::release, bytes, buffer_name(id));
  }
}

void StepLog::took_workspace(std::int64_t bytes, DevicePointer memory) {
  count(allocated_bytes(bytes));
  if (mode_ == Mode::traced) {
    add(HostEvent::Kind::allocate, bytes, Pool::workspaces, memory, "");
  } else if (mode_ == Mode::node_by_node) {
    add_now(TraceEvent::Kind::workspace, device_.used_bytes(Pool::workspaces) - start_.workspaces,
            "");
  }
}

void StepLog::gave_back_workspace(std::int64_t bytes, DevicePointer memory) {
  count(-allocated_bytes(bytes));
  if (mode_ == Mode::traced) {
    add(HostEvent::Kind::release, bytes, Pool::workspaces, memory, "");
  } else if (mode_ == Mode::node_by_node) {
    add_now(TraceEvent::Kind::workspace, device_.used_bytes(Pool::workspaces) - start_.workspaces,
            "");
  }
}

void StepLog::end_node() {
  if (mode_ == Mode::traced) {
    add(HostEvent::Kind::node_end, 0, Pool::tensors, nullptr, node_name());
  } else if (mode_ == Mode::node_by_node) {
    device_.synchronize();
    add_now(TraceEvent::Kind::node_end, 0, node_name());
  }
}

void StepLog::count(std::int64_t bytes) {
  together_ += bytes;
  most_together_ = std::max(most_together_, together_);
}

void StepLog::end_steps() {
  if (mode_ == Mode::traced) device_.begin_step(no_step);
}

PoolBytes StepLog::take_peaks() const {
  return {device_.take_peak_used_bytes(Pool::tensors),
          device_.take_peak_used_bytes(Pool::workspaces)};
}

/// Bytes that the two pools hold together. During a step, a pool shrinks only if the device runs
/// out of memory. Otherwise, the bytes at the end of the step are the peak.
std::int64_t StepLog::reserved_bytes() const {
  return device_.reserved_bytes(Pool::tensors) + device_.reserved_bytes(Pool::workspaces);
}

LoggedStep StepLog::finish(const std::string& device_name, const TraceSink& sink) {
  device_.synchronize();
  const double seconds = std::chrono::duration<double>(Clock::now() - started_).count();
  const PoolBytes most = take_peaks();
  LoggedStep result;
  if (mode_ == Mode::traced) {
    JoinedTrace joined = join_trace(host_events_, device_.stop_trace(), start_, most);
    events_ = std::move(joined.events);
    result.remarks = std::move(joined.remarks);
    for (TraceEvent& event : events_) {
      if (event.kind == TraceEvent::Kind::workspace) event.bytes -= start_.workspaces;
    }
  } else if (mode_ == Mode::node_by_node) {
    result.remarks.push_back("times were taken node by node: " + why_not_traced_);
  }
  result.measurement = measured(device_name, sink);
  result.measurement.step_seconds = seconds;
  result.measurement.data_dependent = program_.data_dependent;
  result.measurement.peak_bytes = most.tensors;
  if (mode_ == Mode::untraced) {
    result.measurement.peak_together_bytes = std::max(most_together_, most.tensors);
  }
  result.measurement.peak_reserved_bytes =
      std::max(result.measurement.peak_reserved_bytes, reserved_bytes());
  return result;
}

Measurement StepLog::measured(const std::string& device_name, const TraceSink& sink) const {
  MeasurementBuilder builder(device_name);
  for (const std::vector<TraceEvent>& part : {events_of_persistent(), events_}) {
    for (const TraceEvent& event : part) {
      builder.add(event);
      if (sink) sink(event);
    }
  }
  return builder.take();
}

void StepLog::abandon() {
  without_failing([&] { device_.synchronize(); });
  if (mode_ == Mode::traced) without_failing([&] { device_.stop_trace(); });
}

/// Allocation events for the persistent buffers, which were allocated before the step; empty if the
/// run is untraced. The live bytes of the last event are the bytes that the pool for tensors had in
/// use at the start.
std::vector<TraceEvent> StepLog::events_of_persistent() const {
  std::vector<TraceEvent> events;
  if (mode_ == Mode::untraced) return events;
  std::int64_t live = 0;
  for (const BufferId id : IdRange<BufferId>(plan_.timeline.buffers.size())) {
    const Buffer& buffer = plan_.timeline.buffers[id];
    if (!buffer.persistent) continue;
    live += program_.buffer_bytes[id];
    events.push_back(
        {TraceEvent::Kind::allocate, 0, program_.buffer_bytes[id], live, 0, buffer_name(id)});
  }
  if (!events.empty()) events.back().live_bytes = start_.tensors;
  return events;
}

std::string StepLog::node_name() const {
  return name_of(*plan_.graph, plan_.dataflow, plan_.timeline.order[step_]);
}

std::string StepLog::buffer_name(BufferId id) const {
  return name_of(*plan_.graph, plan_.dataflow, plan_.timeline.buffers[id]);
}

void StepLog::add(HostEvent::Kind kind, std::int64_t bytes, Pool pool, DevicePointer memory,
                  std::string name) {
  host_events_.push_back({kind, step_, bytes, pool, address_of(memory), std::move(name)});
}

void StepLog::add_now(TraceEvent::Kind kind, std::int64_t bytes, const std::string& name) {
  const double seconds = std::chrono::duration<double>(Clock::now() - started_).count();
  events_.push_back({kind, step_, bytes, device_.used_bytes(Pool::tensors), seconds, name});
}

}  // namespace stashscope::cuda
