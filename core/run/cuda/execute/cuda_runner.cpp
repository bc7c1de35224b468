#include "core/run/cuda/execute/cuda_runner.h"

#include <chrono>

#include "core/ops/families/control_flow.h"
#include "core/ops/families/standard_ops.h"
#include "core/run/cuda/execute/device_step_memory.h"
#include "core/run/cuda/execute/step_log.h"
#include "core/run/cuda/ops/standard_kernels.h"
#include "core/run/step/micro_tensors.h"
#include "core/run/step/step_context.h"

namespace stashscope::cuda {

namespace {

using Clock = std::chrono::steady_clock;

bool has_kernel(const Node& node) {
  const bool is_dims = node.domain.empty() && (node.op_type == "Shape" || node.op_type == "Size");
  return is_dims || is_yield(node) ||
         (standard_kernels().find(node) != nullptr && standard_ops().find(node) != nullptr);
}

class CudaStep : public LoadedStep {
 public:
  CudaStep(const RunPlan& plan, const NamedTensors& inputs, const RunSettings& settings,
           std::shared_ptr<Device> device, const std::string& name)
      : plan_(plan),
        inputs_(inputs),
        settings_(settings),
        device_(std::move(device)),
        name_(name),
        program_(make_program(plan, inputs, settings, *device_, Progress())),
        memory_(plan, program_, *device_, settings.memory_limit),
        outputs_(plan, [this](ValueId id) { return downloaded(id); }) {
    give_back_unused();
    memory_.place_persistent_buffers(inputs);
    stage_uploads();
  }

  ~CudaStep() override {
    without_failing([&] { device_->synchronize(); });
    if (staging_ != nullptr) without_failing([&] { device_->release_host(staging_); });
  }
  CudaStep(const CudaStep&) = delete;
  CudaStep& operator=(const CudaStep&) = delete;

  RunResult run(const TraceSink& sink, const Progress& progress) override {
    outputs_.clear();
    memory_.set_run(++run_);
    try {
      RunResult result = runs_in_step(*plan_.graph) > 1 ? run_micro_batches(sink, progress)
                                                        : run_once(sink, progress, true);
      memory_.release_all();
      return result;
    } catch (...) {
      // Releasing is safe although queued work may still use the memory, because only later work on
      // the same stream can reuse the memory.
      without_failing([&] { memory_.release_all(); });
      throw;
    }
  }

 private:
  /// Returns the pools' unused memory to the device, so that memory from an earlier step is not
  /// counted for this step.
  void give_back_unused() {
    device_->synchronize();
    device_->trim(Pool::tensors);
    device_->trim(Pool::workspaces);
  }

  RunResult run_micro_batches(const TraceSink& sink, const Progress& progress) {
    memory_.clear_sums();
    MicroOutputs outputs(*plan_.graph);
    Measurement measured;
    const std::int64_t count = runs_in_step(*plan_.graph);
    for (std::int64_t i = 0; i < count; ++i) {
      if (i > 0) memory_.release_all();
      memory_.fill_inputs(inputs_, i);
      RunResult part = run_once(sink, progress, i + 1 == count);
      outputs.add(std::move(part.outputs));
      measured = i == 0 ? std::move(part.measurement) : in_one_step(measured, part.measurement);
    }
    return {outputs.take(), std::move(measured)};
  }

  /// @param ends_step whether the step ends with this run of the graph; if so, the updates of the
  /// parameters follow
  RunResult run_once(const TraceSink& sink, const Progress& progress, bool ends_step) {
    StepLog log(plan_, program_, *device_, settings_.traces);
    try {
      log.start();
      execute(log, progress, ends_step);
    } catch (...) {
      log.abandon();
      throw;
    }
    LoggedStep logged = log.finish(name_, sink);
    NamedTensors outputs;
    if (settings_.wants_outputs) outputs = outputs_.take_all();
    logged.measurement.remarks = std::move(logged.remarks);
    return {std::move(outputs), std::move(logged.measurement)};
  }

  /// Copies the data of all uploads to page-locked memory, so that the host does not wait for the
  /// uploads.
  void stage_uploads() {
    std::int64_t bytes = 0;
    for (const ProgramStep& step : program_.steps) {
      for (const Upload& each : step.uploads) bytes += bytes_of(each);
    }
    if (bytes == 0) return;
    staging_ = device_->allocate_host(bytes);
    std::byte* to = staging_;
    for (const ProgramStep& step : program_.steps) {
      for (const Upload& each : step.uploads) {
        to = std::copy_n(each.from.data, bytes_of(each), to);
      }
    }
  }

  static std::int64_t bytes_of(const Upload& upload) {
    return packed_bytes(upload.from.element, upload.from.elements());
  }

  void execute(StepLog& log, const Progress& progress, bool ends_step) {
    staged_ = staging_;
    const std::size_t steps = program_.steps.size();
    for (std::size_t i = 0; i < steps; ++i) {
      report_slot(progress, i, steps, "running");
      run_named_step(static_cast<std::uint32_t>(i), log);
    }
    log.end_steps();
    if (!ends_step) return;
    for (const PlacedCall& call : program_.updates.calls) {
      std::visit([&](const auto& each) { execute(each, {}, nullptr); }, call);
    }
  }

  void run_named_step(std::uint32_t index, StepLog& log) {
    try {
      run_step(index, log);
    } catch (const OutOfMemory&) {
      throw;
    } catch (const Error& error) {
      throw Error(
          error.kind(),
          "node '" + name_of(*plan_.graph, plan_.dataflow, plan_.timeline.order[index]) + "'",
          error.what(),
          "an earlier node may have caused the error, because kernels run asynchronously; set "
          "CUDA_LAUNCH_BLOCKING=1 in the environment to wait for each kernel");
    }
  }

  void run_step(std::uint32_t index, StepLog& log) {
    const ProgramStep& step = program_.steps[index];
    log.start_node(index);
    for (const BufferId id : step.allocates) log.allocated(id, memory_.allocate(id, index));
    for (const Upload& each : step.uploads) {
      device_->copy(memory_.at(each.to, {}), staged_, bytes_of(each));
      staged_ += bytes_of(each);
    }
    if (!step.calls.empty()) run_calls(step, index, log);
    log.end_node();
    if (settings_.wants_outputs) outputs_.take_released(plan_.timeline.order[index]);
    for (const BufferId id : step.releases) {
      DevicePointer const memory = memory_.buffer(id);
      memory_.release(id);
      log.released(id, memory);
    }
  }

  void run_calls(const ProgramStep& step, std::uint32_t index, StepLog& log) {
    std::vector<DevicePointer> scratch;
    for (const std::int64_t bytes : step.scratch_bytes) {
      scratch.push_back(take_workspace(bytes, index, log));
    }
    DevicePointer const workspace =
        step.workspace_bytes > 0 ? take_workspace(step.workspace_bytes, index, log) : nullptr;
    for (const PlacedCall& call : step.calls) {
      std::visit([&](const auto& each) { execute(each, scratch, workspace); }, call);
    }
    for (std::size_t i = 0; i < scratch.size(); ++i) {
      give_back_workspace(step.scratch_bytes[i], scratch[i], log);
    }
    if (workspace != nullptr) give_back_workspace(step.workspace_bytes, workspace, log);
  }

  DevicePointer take_workspace(std::int64_t bytes, std::uint32_t step, StepLog& log) {
    DevicePointer const memory = memory_.allocate_workspace(bytes, step);
    log.took_workspace(bytes, memory);
    return memory;
  }

  void give_back_workspace(std::int64_t bytes, DevicePointer memory, StepLog& log) {
    memory_.release_workspace(memory);
    log.gave_back_workspace(bytes, memory);
  }

  void execute(const PlacedKernel& call, const std::vector<DevicePointer>& scratch, DevicePointer) {
    operands_.clear();
    for (const Place& place : call.operands) operands_.push_back(memory_.at(place, scratch));
    device_->launch(call.kernel, call.shape, operands_);
  }

  void execute(const PlacedMatmul& call, const std::vector<DevicePointer>& scratch,
               DevicePointer workspace) {
    device_->multiply(call.matmul, memory_.at(call.a, scratch), memory_.at(call.b, scratch),
                      memory_.at(call.bias, scratch), memory_.at(call.d, scratch), workspace);
  }

  void execute(const PlacedConvolution& call, const std::vector<DevicePointer>& scratch,
               DevicePointer workspace) {
    const std::array<DevicePointer, 3> operands = {memory_.at(call.operands[0], scratch),
                                                   memory_.at(call.operands[1], scratch),
                                                   memory_.at(call.operands[2], scratch)};
    device_->convolve(call.convolution, operands, workspace);
  }

  void execute(const PlacedCopy& call, const std::vector<DevicePointer>& scratch, DevicePointer) {
    std::byte* const from = memory_.at(call.from, scratch);
    std::byte* const to = memory_.at(call.to, scratch);
    if (from != to && call.bytes > 0) device_->copy(to, from, call.bytes);
  }

  void execute(const PlacedRowCopy& call, const std::vector<DevicePointer>& scratch,
               DevicePointer) {
    device_->copy_rows(memory_.at(call.to, scratch), memory_.at(call.from, scratch), call.shape);
  }

  void execute(const PlacedZero& call, const std::vector<DevicePointer>& scratch, DevicePointer) {
    if (call.bytes > 0) device_->fill(memory_.at(call.to, scratch), 0, call.bytes);
  }

  Tensor downloaded(ValueId id) const {
    const OperandType& type = program_.types[id];
    std::string bytes(static_cast<std::size_t>(type.bytes()), '\0');
    device_->copy(reinterpret_cast<std::byte*>(bytes.data()), memory_.at(program_.places[id], {}),
                  type.bytes());
    return {type.element, type.dims, std::move(bytes)};
  }

  const RunPlan& plan_;
  const NamedTensors& inputs_;
  RunSettings settings_;
  std::shared_ptr<Device> device_;
  std::string name_;
  Program program_;
  DeviceStepMemory memory_;
  StepOutputs outputs_;
  std::int64_t run_ = 0;          ///< number of runs started
  std::byte* staging_ = nullptr;  ///< all uploads of a run, in order
  const std::byte* staged_ = nullptr;
  std::vector<DevicePointer> operands_;
};

}  // namespace

void CudaRunner::check(const Graph& graph) const {
  require_kernels(graph, has_kernel, "the CUDA runner");
}

std::unique_ptr<LoadedStep> CudaRunner::load(const RunPlan& plan,
                                             const NamedTensors& inputs) const {
  check(*plan.graph);
  return std::make_unique<CudaStep>(plan, inputs, settings_, device_, name_);
}

}  // namespace stashscope::cuda
