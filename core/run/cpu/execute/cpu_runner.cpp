#include "core/run/cpu/execute/cpu_runner.h"

#include <algorithm>
#include <chrono>
#include <cstring>

#include "core/base/text.h"
#include "core/ops/families/control_flow.h"
#include "core/ops/families/standard_ops.h"
#include "core/ops/rules/op.h"
#include "core/ops/rules/shape_context.h"
#include "core/run/cpu/execute/allocator.h"
#include "core/run/cpu/execute/blocks.h"
#include "core/run/cpu/execute/control_flow.h"
#include "core/run/cpu/execute/node_errors.h"
#include "core/run/cpu/execute/step_buffers.h"
#include "core/run/cpu/execute/step_copies.h"
#include "core/run/cpu/execute/subgraph_plan.h"
#include "core/run/cpu/kernels/standard_kernels.h"
#include "core/run/shared/dispatch.h"
#include "core/run/shared/kernel.h"
#include "core/run/shared/output_dims.h"
#include "core/run/step/micro_tensors.h"
#include "core/run/step/planned_size.h"
#include "core/run/step/step_context.h"
#include "core/run/step/step_nodes.h"

namespace stashscope::cpu {

namespace {

using Clock = std::chrono::steady_clock;

/// The number of slots from one reading of the resident size to the next. The system call is slow
/// compared with small kernels.
constexpr std::uint32_t slots_between_sizes = 16;

NamedTensors run_subgraph(const Graph& body, const NamedTensors& inputs);

class Execution {
 public:
  Execution(const RunPlan& plan, const NamedTensors& inputs, const TraceSink& sink)
      : graph_(*plan.graph),
        dataflow_(plan.dataflow),
        topology_(plan.dataflow.topology),
        timeline_(plan.timeline),
        groups_(plan.groups),
        inputs_(inputs),
        nodes_(graph_, dataflow_),
        views_(topology_.values()),
        reads_left_(topology_.values(), 0),
        buffers_(plan, sink),
        outputs_(plan, [this](ValueId id) { return tensor_at(id); }),
        symbols_(graph_.symbols()),
        copies_(plan) {}
  Execution(const Execution&) = delete;
  Execution& operator=(const Execution&) = delete;

  RunResult run(const Progress& progress) {
    progress_ = &progress;
    place_persistent_buffers();
    run_nodes();
    NamedTensors outputs = outputs_.take_all();
    if (runs_in_step(graph_) > 1) outputs = with_more_micro_batches(std::move(outputs));
    add_data_dependent_sizes();
    return {std::move(outputs), buffers_.measurement().take()};
  }

 private:
  void run_nodes() {
    count_reads();
    const std::size_t steps = timeline_.order.size();
    for (std::size_t step = 0; step < steps; ++step) {
      report_slot(*progress_, step, steps, "running");
      run_node(static_cast<std::uint32_t>(step));
    }
    buffers_.emit(TraceEvent::Kind::resident, static_cast<std::uint32_t>(steps), resident_bytes(),
                  "");
  }

  /// Runs all micro-batches but the first. Returns the outputs of the step.
  NamedTensors with_more_micro_batches(NamedTensors first) {
    MicroOutputs all(graph_);
    all.add(std::move(first));
    for (std::int64_t i = 1; i < runs_in_step(graph_); ++i) {
      release_outputs();
      for (const ValueId input : graph_.data().micro_batches->inputs) {
        fill(buffers_.at(timeline_.buffer_of[input]), persistent_tensor(graph_, input, inputs_, i));
      }
      run_nodes();
      all.add(outputs_.take_all());
    }
    return all.take();
  }

  /// Releases the buffers and the data that a micro-batch leaves behind. Sums of gradients stay,
  /// because they are persistent.
  void release_outputs() {
    buffers_.release_all(static_cast<std::uint32_t>(timeline_.order.size()));
    reads_left_ = IdVector<ValueId, std::uint32_t>(topology_.values(), 0);
    host_.clear();
    gradients_.clear();
  }

  /// Reads the dims from the views, which keep the dims after the memory is released.
  void add_data_dependent_sizes() {
    const auto dims_of = [this](ValueId id) -> const std::vector<std::int64_t>& {
      return views_[id].dims;
    };
    for (const auto& [name, size] : data_dependent_sizes(graph_, dims_of)) {
      buffers_.measurement().add_size(name, size);
    }
  }

  /// Counts the remaining reads of each value. A graph output that the step does not release early
  /// gets one more read, so that it stays in memory until the end of the step.
  void count_reads() {
    for (const NodeId node : timeline_.order) {
      for (const ValueId input : topology_.inputs[node]) {
        if (input.valid()) ++reads_left_[input];
      }
    }
    for (const ValueId output : graph_.data().outputs) {
      if (!outputs_.is_released(output)) ++reads_left_[output];
    }
  }

  void place_persistent_buffers() {
    for (const BufferId id : IdRange<BufferId>(timeline_.buffers.size())) {
      const Buffer& buffer = timeline_.buffers[id];
      if (!buffer.persistent) continue;
      if (buffer.state) {
        place_state(id);
      } else {
        place_persistent(id, buffer.root);
      }
    }
  }

  /// The CPU runner does not run the optimizer that the user chose, so the optimizer's states only
  /// occupy memory.
  void place_state(BufferId id) {
    const std::int64_t bytes = timeline_.buffers[id].bytes;
    buffers_.allocate(id, bytes, 0);
    std::memset(buffers_.at(id).data, 0, static_cast<std::size_t>(bytes));
  }

  void place_persistent(BufferId buffer, ValueId value) {
    const Tensor tensor = persistent_tensor(graph_, value, inputs_);
    buffers_.allocate(buffer, tensor.size_in_bytes(), 0);
    fill(buffers_.at(buffer), tensor);
    views_[value] = {tensor.element(), tensor.dims(), buffers_.at(buffer).data};
  }

  static void fill(const TrackingAllocator::Block& block, const Tensor& tensor) {
    const TensorBytes data = tensor.load();
    std::memcpy(block.data, data.bytes.data(), data.bytes.size());
  }

  void run_node(std::uint32_t step) {
    const NodeId id = timeline_.order[step];
    const Node& node = nodes_.node(id);
    const std::string name = name_of(graph_, dataflow_, id);
    for (const NodeId fetch : copies_.end_fetches(id)) release_inputs(fetch, step);
    buffers_.emit(TraceEvent::Kind::node_start, step, 0, name);
    with_node_in_errors([&] { return describe(node, dataflow_.origin(id)); },
                        [&] { compute(id, node, step); });
    buffers_.emit(TraceEvent::Kind::node_end, step, 0, name);
    const std::vector<NodeId> offloads = copies_.end_offloads(id);
    release_after(id, step);
    for (const NodeId offload : offloads) release_inputs(offload, step);
    if (step % slots_between_sizes == 0) {
      buffers_.emit(TraceEvent::Kind::resident, step, resident_bytes(), "");
    }
  }

  void compute(NodeId id, const Node& node, std::uint32_t step) {
    if (groups_.of(id).valid()) {
      if (groups_.members[groups_.of(id)].front() == id) run_group(groups_.of(id), step);
    } else if (is_yield(node)) {
      return_gradients(id);
    } else if (is_control_flow(node)) {
      run_subgraphs(id, node, step);
    } else {
      run_kernel(id, node, step);
    }
  }

  /// The YieldOp's caller returns gradients in its own memory, which the allocator does not count.
  /// In the timeline, a returned gradient lives in the buffer of the operand that it belongs to.
  void return_gradients(NodeId id) {
    for (const auto& [output, operand] : nodes_.returned(id)) {
      views_[output] = gradient_view(output, views_[operand]);
      join_buffer(output);
    }
  }

  TensorView gradient_view(ValueId output, const TensorView& like) {
    const Tensor gradient =
        returned_gradient(graph_, output, Tensor(like.element, like.dims), inputs_);
    const TensorBytes data = gradient.load();
    gradients_.push_back(std::make_unique<std::string>(
        reinterpret_cast<const char*>(data.bytes.data()), data.bytes.size()));
    return {like.element, like.dims, reinterpret_cast<std::byte*>(gradients_.back()->data())};
  }

  static const Kernel& kernel_of(const Node& node) {
    const Kernel* const kernel = standard_kernels().find(node);
    if (kernel == nullptr) fail_run("", "there is no CPU kernel for this operator");
    return *kernel;
  }

  void run_kernel(NodeId id, const Node& node, std::uint32_t step) {
    const Kernel& kernel = kernel_of(node);
    const Op& op = nodes_.op(id);
    KernelContext context{node, nodes_.version(id), {}, {}, nodes_.seed(id)};
    const auto row = topology_.inputs[id];
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      context.inputs.push_back(row[i].valid() ? views_[row[i]] : TensorView());
    }
    const auto dims = output_dims(kernel, op, context, symbols_);
    auto output = topology_.outputs[id].begin();
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      if (!node.outputs[i].valid()) {
        context.outputs.emplace_back();
        continue;
      }
      TensorView& view = op.output_on_host ? place_on_host(*output++, dims[i], step)
                                           : place_output(*output++, dims[i], step);
      const auto shared = op.alias != nullptr ? op.alias(graph_, node, i) : std::nullopt;
      // Gradients that the YieldOp returns, and views of such gradients, lie outside of the buffer
      // to which the timeline assigns them.
      if (shared && context.has_input(*shared)) view.data = context.in(*shared).data;
      context.outputs.push_back(view);
    }
    if (copies_.overlaps(id)) {
      copies_.start(id, describe(node, dataflow_.origin(id)),
                    [&kernel, context = std::move(context)] { kernel.run(context); });
    } else {
      kernel.run(context);
    }
  }

  /// Runs a fused group. Scratch memory, which is not counted, holds one block of each value that
  /// only members read.
  void run_group(FusedGroupId group, std::uint32_t step) {
    std::vector<BlockTask> tasks;
    std::vector<std::vector<std::byte>> scratch;
    for (const NodeId member : groups_.members[group]) {
      tasks.push_back(block_task(member, step, scratch));
    }
    run_in_blocks(tasks, tasks.front().output.view.elements());
  }

  /// The task of a node in a fused group. Values that other members make have dims, but no elements
  /// yet.
  BlockTask block_task(NodeId id, std::uint32_t step,
                       std::vector<std::vector<std::byte>>& scratch) {
    const Node& node = nodes_.node(id);
    BlockTask task{&kernel_of(node), &node, nodes_.version(id), {}, {}};
    const ValueId output = topology_.outputs[id][0];
    KernelContext context{node, task.version, {}, {}, 0};
    for (const ValueId input : topology_.inputs[id]) {
      const bool in_scratch = input.valid() && !timeline_.buffer_of[input].valid();
      task.inputs.push_back({input.valid() ? views_[input] : TensorView(), in_scratch});
      context.inputs.push_back(task.inputs.back().view);
      if (input.valid() && is_made_in(groups_, groups_.of(id), topology_, input)) {
        context.inputs.back().data = nullptr;
      }
    }
    const OutputDims made = {
        stored_element(graph_, dataflow_, output),
        output_dims(*task.kernel, nodes_.op(id), context, symbols_).front().dims};
    task.output.in_scratch = !timeline_.buffer_of[output].valid();
    if (task.output.in_scratch) {
      const std::int64_t block = packed_bytes(made.element, block_elements);
      views_[output] = {made.element, made.dims,
                        scratch.emplace_back(static_cast<std::size_t>(block)).data()};
    } else {
      place_output(output, made, step);
    }
    task.output.view = views_[output];
    return task;
  }

  Tensor tensor_at(ValueId value) const {
    const TensorView& view = views_[value];
    const auto bytes = static_cast<std::size_t>(packed_bytes(view.element, view.elements()));
    return {view.element, view.dims, std::string(reinterpret_cast<const char*>(view.data), bytes)};
  }

  /// Subgraphs allocate their own memory while their node runs. The step's events contain the
  /// node's outputs, but not this memory.
  void run_subgraphs(NodeId id, const Node& node, std::uint32_t step) {
    const auto run_body = [this](const Graph& body, const NamedTensors& inputs) {
      if (progress_->cancelled()) throw Error(ErrorKind::cancelled, "", "cancelled");
      return run_subgraph(body, inputs);
    };
    ControlFlow flow{node, nodes_.version(id), {}, {}, run_body};
    const auto row = topology_.inputs[id];
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      flow.inputs.push_back(row[i].valid() ? tensor_at(row[i]) : Tensor());
    }
    for (std::size_t i = 0; i < node.captured_inputs.size(); ++i) {
      flow.captured.insert_or_assign(graph_.value(node.captured_inputs[i]).name,
                                     tensor_at(row[node.inputs.size() + i]));
    }
    const std::vector<Tensor> results = run_control_flow(flow);
    auto output = topology_.outputs[id].begin();
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      if (!node.outputs[i].valid()) continue;
      const TensorView& view =
          place_output(*output++, {results[i].element(), results[i].dims()}, step);
      const TensorBytes data = results[i].load();
      std::memcpy(view.data, data.bytes.data(), data.bytes.size());
    }
  }

  void join_buffer(ValueId value) { buffers_.join(timeline_.buffer_of[value]); }

  TensorView& place_output(ValueId value, const OutputDims& wanted, std::uint32_t step) {
    const BufferId buffer = timeline_.buffer_of[value];
    const std::int64_t bytes = packed_bytes(wanted.element, element_count(wanted.dims));
    require_planned_size(graph_, dataflow_, timeline_, value, wanted.dims, bytes);
    if (buffers_.at(buffer).data == nullptr) {
      buffers_.allocate(buffer, bytes, step);
    } else if (buffers_.at(buffer).bytes != bytes) {
      fail_run("", "an output of " + std::to_string(bytes) +
                       " bytes was planned to share a buffer of " +
                       std::to_string(buffers_.at(buffer).bytes) + " bytes");
    }
    join_buffer(value);
    views_[value] = {wanted.element, wanted.dims, buffers_.at(buffer).data};
    return views_[value];
  }

  /// Places a value in host memory, outside of the buffers; its buffer has 0 bytes.
  TensorView& place_on_host(ValueId value, const OutputDims& wanted, std::uint32_t step) {
    const std::int64_t bytes = packed_bytes(wanted.element, element_count(wanted.dims));
    const auto block =
        host_.emplace(value, std::vector<std::byte>(static_cast<std::size_t>(bytes))).first;
    buffers_.allocate(timeline_.buffer_of[value], 0, step);
    join_buffer(value);
    views_[value] = {wanted.element, wanted.dims, block->second.data()};
    return views_[value];
  }

  /// A group's operands and outputs are released after its last member.
  void release_after(NodeId id, std::uint32_t step) {
    const FusedGroupId group = groups_.of(id);
    if (!group.valid()) {
      outputs_.take_released(id);
      release_read(id, step);
    } else if (groups_.members[group].back() == id) {
      release_after_group(group, step);
    }
  }

  void release_after_group(FusedGroupId group, std::uint32_t step) {
    for (const NodeId member : groups_.members[group]) {
      outputs_.take_released(member);
      for (const ValueId input : topology_.inputs[member]) {
        if (!input.valid() || --reads_left_[input] > 0) continue;
        if (!is_made_in(groups_, group, topology_, input)) die(input, step);
      }
    }
    for (const NodeId member : groups_.members[group]) {
      const ValueId output = topology_.outputs[member][0];
      if (reads_left_[output] == 0 && timeline_.buffer_of[output].valid()) die(output, step);
    }
  }

  /// Releases the operands and outputs that no later node reads. A buffer is released with its last
  /// value. A copy that overlaps with other nodes keeps its operand until the copy ends.
  void release_read(NodeId id, std::uint32_t step) {
    if (!copies_.overlaps(id)) release_inputs(id, step);
    for (const ValueId output : topology_.outputs[id]) {
      if (reads_left_[output] == 0) die(output, step);
    }
  }

  void release_inputs(NodeId id, std::uint32_t step) {
    for (const ValueId input : topology_.inputs[id]) {
      if (input.valid() && --reads_left_[input] == 0) die(input, step);
    }
  }

  void die(ValueId value, std::uint32_t step) {
    if (buffers_.leave(timeline_.buffer_of[value], step)) host_.erase(value);
  }

  const Graph& graph_;
  const Dataflow& dataflow_;
  const Topology& topology_;
  const Timeline& timeline_;
  const FusedGroups& groups_;
  const NamedTensors& inputs_;
  StepNodes nodes_;
  IdVector<ValueId, TensorView> views_;
  IdVector<ValueId, std::uint32_t> reads_left_;
  StepBuffers buffers_;
  StepOutputs outputs_;
  const Progress* progress_ = nullptr;
  SymbolTable symbols_;
  std::unordered_map<ValueId, std::vector<std::byte>> host_;
  std::vector<std::unique_ptr<std::string>> gradients_;
  StepCopies copies_;  ///< the last member: its copies end before their tensors are freed
};

/// Every run allocates its own buffers.
class CpuStep : public LoadedStep {
 public:
  CpuStep(const RunPlan& plan, const NamedTensors& inputs) : plan_(plan), inputs_(inputs) {}

  RunResult run(const TraceSink& sink, const Progress& progress) override {
    const Clock::time_point started = Clock::now();
    RunResult result = Execution(plan_, inputs_, sink).run(progress);
    result.measurement.step_seconds = std::chrono::duration<double>(Clock::now() - started).count();
    return result;
  }

 private:
  const RunPlan& plan_;
  const NamedTensors& inputs_;
};

bool has_kernel(const Node& node) {
  if (is_yield(node) || is_control_flow(node)) return true;
  return standard_kernels().find(node) != nullptr && standard_ops().find(node) != nullptr;
}

NamedTensors run_subgraph(const Graph& body, const NamedTensors& inputs) {
  const RunPlan plan = subgraph_plan(body, inputs);
  const TraceSink no_sink;
  return Execution(plan, inputs, no_sink).run(Progress()).outputs;
}

}  // namespace

void CpuRunner::check(const Graph& graph) const {
  require_kernels(graph, has_kernel, "the CPU runner");
}

std::unique_ptr<LoadedStep> CpuRunner::load(const RunPlan& plan, const NamedTensors& inputs) const {
  check(*plan.graph);
  return std::make_unique<CpuStep>(plan, inputs);
}

}  // namespace stashscope::cpu
