#pragma once

#include <optional>

#include "core/run/cuda/device/device_memory.h"
#include "core/run/cuda/execute/program.h"

namespace stashscope::cuda {

/// A slot of the execution order; nullopt during `load`, before the first slot.
using AtStep = std::optional<std::uint32_t>;

/// The device memory of a prepared step: the buffers of the timeline, and workspaces, which are
/// allocated outside of the buffers. The destructor returns all memory to the device. Keeps
/// references to the constructor's arguments.
class DeviceStepMemory {
 public:
  DeviceStepMemory(const RunPlan& plan, const Program& program, Device& device, std::int64_t limit);
  ~DeviceStepMemory();
  DeviceStepMemory(const DeviceStepMemory&) = delete;
  DeviceStepMemory& operator=(const DeviceStepMemory&) = delete;

  /// Allocates and fills the persistent buffers: inputs, parameters, constants and optimizer states
  /// (zeros, or master weights). Also allocates memory for the number of the run and for the
  /// gradients that the YieldOp's caller returns. Throws OutOfMemory.
  void place_persistent_buffers(const NamedTensors& inputs);

  /// Puts the samples of a micro-batch into the inputs that are split.
  void fill_inputs(const NamedTensors& inputs, std::int64_t micro_batch);
  /// Sets the sums of gradients over micro-batches to zeros.
  void clear_sums();

  /// Sets the number of the run, which kernels read from Place::Kind::run.
  void set_run(std::int64_t number);

  /// Allocates a buffer. Throws an OutOfMemory error that names the buffer.
  DevicePointer allocate(BufferId id, AtStep step);
  void release(BufferId id);
  /// Releases all buffers and workspaces still allocated, except the persistent ones.
  void release_all();

  /// Allocates workspace memory. Throws OutOfMemory.
  DevicePointer allocate_workspace(std::int64_t bytes, AtStep step);
  void release_workspace(DevicePointer memory);

  DevicePointer buffer(BufferId id) const { return buffers_[id]; }
  /// The address of a place; null for an operand left out.
  /// @param scratch the pieces of scratch memory of the node
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
