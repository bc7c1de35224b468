#pragma once

#include <optional>

#include "core/run/cuda/device/device_memory.h"
#include "core/run/cuda/execute/program.h"

namespace stashscope::cuda {

/// A step of the order; nothing: the loading before the first one.
using AtStep = std::optional<std::uint32_t>;

/// The memory of a prepared step: its buffers, by the timeline's ids, and what lies outside of
/// them. Everything goes back to the device with it. Refers to its arguments.
class DeviceStepMemory {
 public:
  DeviceStepMemory(const RunPlan& plan, const Program& program, Device& device, std::int64_t limit);
  ~DeviceStepMemory();
  DeviceStepMemory(const DeviceStepMemory&) = delete;
  DeviceStepMemory& operator=(const DeviceStepMemory&) = delete;

  /// Inputs, parameters, constants, states (zeros) and gradients from outside, with their data.
  /// Throws OutOfMemory.
  void place_residents(const NamedTensors& inputs);

  /// What Place::Kind::run holds from now on.
  void set_run(std::int64_t number);

  /// Takes a buffer of a step. Throws OutOfMemory that names it.
  DevicePointer allocate(BufferId id, AtStep step);
  void release(BufferId id);
  /// Those that were taken and not released, residents left out.
  void release_all();

  /// Workspace memory of a step. Throws OutOfMemory.
  DevicePointer allocate_workspace(std::int64_t bytes, AtStep step);
  void release_workspace(DevicePointer memory);

  DevicePointer buffer(BufferId id) const { return buffers_[id]; }
  /// @param scratch of the node, by index
  DevicePointer at(const Place& place, const std::vector<DevicePointer>& scratch) const;

 private:
  void upload(DevicePointer to, const Tensor& tensor);
  [[noreturn]] void fail_full(const std::string& wanted, std::int64_t bytes, AtStep step) const;
  std::string largest_alive() const;

  const RunPlan& plan_;
  const Program& program_;
  Device& device_;
  DeviceMemory memory_;
  IdVector<BufferId, DevicePointer> buffers_;  ///< null: not there
  IdVector<BufferId, std::byte*> on_host_;
  std::vector<DevicePointer> gradients_;
  DevicePointer run_ = nullptr;
  std::vector<DevicePointer> workspaces_;  ///< taken and not released
};

}  // namespace stashscope::cuda
