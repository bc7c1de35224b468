#include "core/run/cuda/execute/device_step_memory.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/base/text.h"
#include "core/base/units.h"
#include "core/graph/micro_batches.h"

namespace stashscope::cuda {

namespace {

constexpr std::size_t most_named = 5;

Tensor in_float32(const Tensor& tensor) {
  const std::vector<double> numbers = tensor.reals().value();
  const std::vector<float> narrowed(numbers.begin(), numbers.end());
  return {
      ElementType::float32, tensor.dims(),
      std::string(reinterpret_cast<const char*>(narrowed.data()), narrowed.size() * sizeof(float))};
}

/// The most bytes of workspace and scratch memory that a slot of the program needs.
std::int64_t most_workspace(const Program& program) {
  std::int64_t most = 0;
  for (const ProgramStep& step : program.steps) {
    most = std::max(most, std::accumulate(step.scratch_bytes.begin(), step.scratch_bytes.end(),
                                          step.workspace_bytes));
  }
  return most;
}

/// Upper bound on the bytes that the allocator's rounding adds; assumes that all tensors are live
/// at once.
std::int64_t rounding_of(std::size_t tensors) {
  return static_cast<std::int64_t>(tensors) * allocated_bytes(1);
}

}  // namespace

DeviceStepMemory::DeviceStepMemory(const RunPlan& plan, const Program& program, Device& device,
                                   std::int64_t limit)
    : plan_(plan),
      program_(program),
      device_(device),
      memory_(device, limit),
      buffers_(plan.timeline.buffers.size(), nullptr),
      on_host_(plan.timeline.buffers.size(), nullptr) {}

DeviceStepMemory::~DeviceStepMemory() {
  for (std::byte* const memory : on_host_) {
    if (memory != nullptr) without_failing([&] { device_.release_host(memory); });
  }
}

void DeviceStepMemory::place_persistent_buffers(const NamedTensors& inputs) {
  for (const BufferId id : IdRange<BufferId>(buffers_.size())) {
    const Buffer& buffer = plan_.timeline.buffers[id];
    if (!buffer.persistent) continue;
    DevicePointer const memory = allocate(id, std::nullopt);
    const Tensor tensor = persistent_tensor(*plan_.graph, buffer.root, inputs);
    if (!buffer.state) {
      upload(memory, tensor);
    } else if (buffer.state->name == master_weight) {
      upload(memory, in_float32(tensor));
    } else {
      device_.fill(memory, 0, program_.buffer_bytes[id]);
    }
  }
  run_ = allocate_workspace(sizeof(std::int64_t), std::nullopt);
  workspaces_.pop_back();
  for (const Tensor& gradient : program_.gradients) {
    gradients_.push_back(allocate_workspace(gradient.size_in_bytes(), std::nullopt));
    workspaces_.pop_back();
    upload(gradients_.back(), gradient);
  }
  device_.synchronize();
}

void DeviceStepMemory::fill_inputs(const NamedTensors& inputs, std::int64_t micro_batch) {
  for (const ValueId input : plan_.graph->data().micro_batches->inputs) {
    const Tensor tensor = persistent_tensor(*plan_.graph, input, inputs, micro_batch);
    upload(buffers_[plan_.timeline.buffer_of[input]], tensor);
    device_.synchronize();
  }
}

void DeviceStepMemory::clear_sums() {
  for (const GradientSum& each : plan_.graph->data().micro_batches->sums) {
    const BufferId id = plan_.timeline.buffer_of[each.buffer];
    if (program_.buffer_bytes[id] > 0) device_.fill(buffers_[id], 0, program_.buffer_bytes[id]);
  }
}

void DeviceStepMemory::upload(DevicePointer to, const Tensor& tensor) {
  const TensorBytes data = tensor.load();
  device_.copy(to, data.bytes.data(), static_cast<std::int64_t>(data.bytes.size()));
}

void DeviceStepMemory::set_run(std::int64_t number) {
  device_.copy(run_, reinterpret_cast<const std::byte*>(&number), sizeof(number));
}

DevicePointer DeviceStepMemory::allocate(BufferId id, AtStep step) {
  const Buffer& buffer = plan_.timeline.buffers[id];
  if (program_.on_host[id] && on_host_[id] == nullptr) {
    on_host_[id] = device_.allocate_host(program_.types[buffer.root].bytes());
  }
  const std::int64_t bytes = program_.buffer_bytes[id];
  buffers_[id] = memory_.allocate(Pool::tensors, bytes);
  if (buffers_[id] == nullptr) {
    fail_full("tensor '" + name_of(*plan_.graph, plan_.dataflow, buffer) + "'", bytes, step);
  }
  return buffers_[id];
}

void DeviceStepMemory::release(BufferId id) {
  memory_.release(std::exchange(buffers_[id], nullptr));
}

void DeviceStepMemory::release_all() {
  for (const BufferId id : IdRange<BufferId>(buffers_.size())) {
    if (buffers_[id] != nullptr && !plan_.timeline.buffers[id].persistent) release(id);
  }
  while (!workspaces_.empty()) release_workspace(workspaces_.back());
}

DevicePointer DeviceStepMemory::allocate_workspace(std::int64_t bytes, AtStep step) {
  DevicePointer const memory = memory_.allocate(Pool::workspaces, bytes);
  if (memory == nullptr) fail_full("a workspace", bytes, step);
  workspaces_.push_back(memory);
  return memory;
}

void DeviceStepMemory::release_workspace(DevicePointer memory) {
  workspaces_.erase(std::ranges::find(workspaces_, memory));
  memory_.release(memory);
}

DevicePointer DeviceStepMemory::at(const Place& place,
                                   const std::vector<DevicePointer>& scratch) const {
  switch (place.kind) {
    case Place::Kind::buffer:
      return buffers_[BufferId(place.index)] + place.offset;
    case Place::Kind::gradient:
      return gradients_[place.index] + place.offset;
    case Place::Kind::scratch:
      return scratch[place.index] + place.offset;
    case Place::Kind::host:
      return on_host_[BufferId(place.index)] + place.offset;
    case Place::Kind::run:
      return run_;
    case Place::Kind::nothing:
      break;
  }
  return nullptr;
}

void DeviceStepMemory::fail_full(const std::string& wanted, std::int64_t bytes, AtStep step) const {
  const Timeline& timeline = plan_.timeline;
  const Graph& graph = *plan_.graph;
  const auto name_at = [&](std::size_t at) {
    return "'" + name_of(graph, plan_.dataflow, timeline.order[at]) + "'";
  };
  const std::int64_t available = memory_.available_bytes();
  std::string what = "the device is out of memory: " + wanted + " needs " + format_bytes(bytes) +
                     ", but " + format_bytes(memory_.used_bytes()) + " of " +
                     format_bytes(available) + " are in use (" + largest_alive() + ")";
  if (!timeline.order.empty()) {
    what += "; the step was predicted to need " + format_bytes(timeline.peak_bytes) + " at " +
            name_at(timeline.peak_slot);
  }
  const std::int64_t for_tensors =
      available - most_workspace(program_) - rounding_of(buffers_.size());
  throw OutOfMemory(step ? "node " + name_at(*step) : "loading the step", what,
                    std::max<std::int64_t>(for_tensors, 0));
}

std::string DeviceStepMemory::largest_alive() const {
  std::vector<BufferId> alive;
  for (const BufferId id : IdRange<BufferId>(buffers_.size())) {
    if (buffers_[id] != nullptr) alive.push_back(id);
  }
  const auto bytes_of = [&](BufferId id) { return program_.buffer_bytes[id]; };
  std::ranges::stable_sort(alive, std::greater(), bytes_of);
  std::vector<std::string> largest;
  for (std::size_t i = 0; i < std::min(alive.size(), most_named); ++i) {
    const Buffer& buffer = plan_.timeline.buffers[alive[i]];
    largest.push_back("'" + name_of(*plan_.graph, plan_.dataflow, buffer) + "' " +
                      format_bytes(bytes_of(alive[i])));
  }
  if (alive.empty()) return "no tensors";
  return counted(alive.size(), "tensor", "tensors") + ", largest: " + join(largest, ", ");
}

}  // namespace stashscope::cuda
