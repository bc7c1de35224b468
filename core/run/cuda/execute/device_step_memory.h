#pragma once

#include <optional>

#include "core/run/cuda/device/device_memory.h"
#include "core/run/cuda/execute/program.h"

namespace stashscope::cuda {

/// A slot of the execution order; nullopt: loading, before the first slot.
using AtStep = std::optional<std::uint32_t>;

/// The device memory of a prepared step: the timeline's buffers, by its ids, and memory outside of
/// them. The destructor returns all of it to the device. Refers to its arguments.
class DeviceStepMemory {
 public:
  DeviceStepMemory(const RunPlan& plan, const Program& program, Device& device, std::int64_t limit);
  ~DeviceStepMemory();
  DeviceStepMemory(const DeviceStepMemory&) = delete;
  DeviceStepMemory& operator=(const DeviceStepMemory&) = delete;

  /// Allocates and fills the persistent buffers: inputs, parameters, constants, states (zeros, or
  /// master weights) and gradients from outside. Throws OutOfMemory.
  void place_persistent_buffers(const NamedTensors& inputs);

  /// Sets the number that Place::Kind::run holds.
  void set_run(std::int64_t number);

  /// Allocates a buffer. Throws OutOfMemory that names it.
  DevicePointer allocate(BufferId id, AtStep step);
  void release(BufferId id);
  /// Releases all buffers and workspaces still allocated, except the persistent ones.
  void release_all();

  /// Allocates workspace memory. Throws OutOfMemory.
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
  IdVector<BufferId, DevicePointer> buffers_;  ///< null: not allocated
  IdVector<BufferId, std::byte*> on_host_;
  std::vector<DevicePointer> gradients_;
  DevicePointer run_ = nullptr;
  std::vector<DevicePointer> workspaces_;  ///< allocated and not released
};

}  // namespace stashscope::cuda
