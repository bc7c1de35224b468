#include "core/run/cuda/execute/program.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/ops/families/control_flow.h"
#include "core/run/cpu/kernels/standard_kernels.h"
#include "core/run/cuda/codegen/pointwise.h"
#include "core/run/cuda/execute/placed_calls.h"
#include "core/run/cuda/ops/standard_kernels.h"
#include "core/run/cuda/ops/update.h"
#include "core/run/shared/output_dims.h"
#include "core/run/step/micro_tensors.h"
#include "core/run/step/planned_size.h"
#include "core/run/step/step_context.h"

namespace stashscope::cuda {

namespace {

/// Limit on the elements of a value computed on the host; such values are shapes, which are small.
constexpr std::int64_t most_host_elements = std::int64_t{1} << 22;

UpdateRates rates_of(const std::string& optimizer, double learning_rate) {
  UpdateRates rates;
  rates.learning_rate = learning_rate;
  if (optimizer == "adamw") rates.weight_decay = 0.01;  // the default of PyTorch's AdamW
  return rates;
}

class ProgramBuilder {
 public:
  ProgramBuilder(const RunPlan& plan, const NamedTensors& inputs, const RunSettings& settings,
                 Device& device)
      : graph_(*plan.graph),
        dataflow_(plan.dataflow),
        topology_(plan.dataflow.topology),
        timeline_(plan.timeline),
        groups_(plan.groups),
        inputs_(inputs),
        update_(plan.update),
        settings_(settings),
        nodes_(graph_, dataflow_),
        needs_(host_needs(plan, nodes_)),
        symbols_(graph_.symbols()),
        step_of_(topology_.nodes(), 0),
        is_uploaded_(topology_.values(), false),
        calls_(device) {
    program_.steps.resize(timeline_.order.size());
    program_.types = IdVector<ValueId, OperandType>(topology_.values());
    program_.places = IdVector<ValueId, Place>(topology_.values());
    program_.on_host = IdVector<BufferId, bool>(timeline_.buffers.size(), false);
  }

  Program build(const Progress& progress) {
    add_persistent();
    const std::size_t steps = timeline_.order.size();
    for (std::size_t i = 0; i < steps; ++i) {
      report_slot(progress, i, steps, "preparing");
      step_of_[timeline_.order[i]] = i;
      add_node(timeline_.order[i], program_.steps[i]);
    }
    for (const ValueId output : graph_.data().outputs) require_on_device(output);
    if (settings_.updates) add_updates();
    plan_memory();
    calls_.compile(program_);
    return std::move(program_);
  }

 private:
  void add_persistent() {
    for (const Buffer& buffer : timeline_.buffers) {
      if (!buffer.persistent || buffer.state) continue;
      const Tensor tensor = persistent_tensor(graph_, buffer.root, inputs_);
      program_.types[buffer.root] = {tensor.element(), tensor.dims()};
      program_.places[buffer.root] = place_in_buffer(buffer.root);
      if (!needs_.values[buffer.root]) continue;
      if (is_split_input(graph_, buffer.root)) {
        fail_run(describe(graph_.value(buffer.root)),
                 "determines shapes, so its micro-batches cannot run as one program",
                 "run the step on the CPU, or without --what-if micro");
      }
      program_.host.add(buffer.root, tensor);
    }
  }

  Place place_in_buffer(ValueId value) const {
    const BufferId buffer = timeline_.buffer_of[value];
    if (!buffer.valid()) return {};
    const bool on_host = program_.on_host[buffer];
    return {on_host ? Place::Kind::host : Place::Kind::buffer,
            static_cast<std::uint32_t>(buffer.index()), 0};
  }

  void add_node(NodeId id, ProgramStep& step) {
    const Node& node = nodes_.node(id);
    try {
      if (needs_.nodes[id]) compute_on_host(id, node);
      if (groups_.of(id).valid()) {
        if (groups_.members[groups_.of(id)].front() == id) add_group(groups_.of(id), step);
      } else if (is_yield(node)) {
        return_gradients(id);
      } else if (!needs_.nodes[id]) {
        add_single(id, node, step);
      }
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::cancelled) throw;
      throw Error(error.kind(), describe(node, dataflow_.origin(id)), error.what());
    }
  }

  /// A view of a value: with its elements if the host knows them, else only with element type and
  /// dims.
  kernels::TensorView host_view(ValueId value) const {
    if (!value.valid()) return {};
    const kernels::TensorView* const known = program_.host.find(value);
    if (known != nullptr) return *known;
    return {program_.types[value].element, program_.types[value].dims, nullptr};
  }

  kernels::KernelContext host_context(NodeId id, const Node& node) const {
    kernels::KernelContext context{node, nodes_.version(id), {}, {}, nodes_.seed(id)};
    const auto inputs = topology_.inputs[id];
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      context.inputs.push_back(host_view(inputs[i]));
    }
    return context;
  }

  std::vector<kernels::OutputDims> dims_of_outputs(NodeId id,
                                                   const kernels::KernelContext& context) {
    return output_dims(cpu_kernel(context.node), nodes_.op(id), context, symbols_);
  }

  static const kernels::Kernel& cpu_kernel(const Node& node) {
    const kernels::Kernel* const kernel = cpu::standard_kernels().find(node);
    if (kernel == nullptr) fail_run("", "there is no kernel for this operator");
    return *kernel;
  }

  void compute_on_host(NodeId id, const Node& node) {
    kernels::KernelContext context = host_context(id, node);
    const bool reads_elements = node.op_type != "Shape" && node.op_type != "Size";
    for (const kernels::TensorView& input : context.inputs) {
      if (reads_elements && input.present() && input.data == nullptr) {
        fail_run("",
                 "its outputs determine shapes, but depend on elements that only the device knows");
      }
    }
    const auto made = dims_of_outputs(id, context);
    auto output = topology_.outputs[id].begin();
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      context.outputs.emplace_back();
      if (!node.outputs[i].valid()) continue;
      if (element_count(made[i].dims) > most_host_elements) {
        fail_run("", "its output determines shapes, but has more than " +
                         std::to_string(most_host_elements) +
                         " elements, the limit for values computed on the host");
      }
      context.outputs.back() = program_.host.add(*output, made[i].element, made[i].dims);
      copy_view(id, context, i);
      set_type(id, *output, made[i]);
      program_.places[*output] = place_in_buffer(*output);
      ++output;
    }
    cpu_kernel(node).run(context);
  }

  /// If an output is a view of an input, copies the input's elements to the output, because on the
  /// host no output shares memory with an input.
  void copy_view(NodeId id, const kernels::KernelContext& context, std::size_t output) const {
    const Op& op = nodes_.op(id);
    if (op.alias == nullptr) return;
    const auto input = op.alias(graph_, context.node, output);
    if (!input || !context.has_input(*input)) return;
    const kernels::TensorView& from = context.in(*input);
    std::copy_n(from.data, packed_bytes(from.element, from.elements()),
                context.outputs[output].data);
  }

  void set_type(NodeId maker, ValueId value, const kernels::OutputDims& made) {
    program_.types[value] = {made.element, made.dims};
    if (nodes_.op(maker).output_on_host) return;
    require_planned_size(graph_, dataflow_, timeline_, value, made.dims,
                         program_.types[value].bytes());
  }

  /// Adds an upload of a value that the device reads, if the host computed the value.
  void require_on_device(ValueId value) {
    if (!value.valid() || is_uploaded_[value]) return;
    const NodeId producer = topology_.producer[value];
    if (!producer.valid() || !needs_.nodes[producer] || groups_.of(producer).valid()) return;
    is_uploaded_[value] = true;
    program_.steps[step_of_[producer]].uploads.push_back(
        {program_.places[value], *program_.host.find(value)});
  }

  LoweringContext lowering_context(NodeId id, const Node& node) {
    const kernels::KernelContext known = host_context(id, node);
    LoweringContext context{node,       known.version,           {}, {}, known.inputs,
                            known.seed, settings_.rounds_to_tf32};
    for (kernels::TensorView& contents : context.contents) {
      context.inputs.push_back({contents.element, contents.dims});
      if (contents.data == nullptr) contents = {};
    }
    const auto made = dims_of_outputs(id, known);
    auto output = topology_.outputs[id].begin();
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      context.outputs.emplace_back();
      if (!node.outputs[i].valid()) continue;
      const kernels::OutputDims stored{stored_element(graph_, dataflow_, *output), made[i].dims};
      context.outputs.back() = {stored.element, stored.dims};
      set_type(id, *output++, stored);
    }
    return context;
  }

  static const CudaKernel& cuda_kernel(const Node& node) {
    const CudaKernel* const kernel = standard_kernels().find(node);
    if (kernel == nullptr) fail_run("", "there is no CUDA kernel for this operator");
    return *kernel;
  }

  NodePlaces places_of(NodeId id, const Node& node, const CudaKernel& kernel) {
    NodePlaces places;
    const auto inputs = topology_.inputs[id];
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      if (!is_host_input(kernel, node, i)) require_on_device(inputs[i]);
      places.inputs.push_back(inputs[i].valid() ? program_.places[inputs[i]] : Place());
    }
    auto output = topology_.outputs[id].begin();
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      places.outputs.emplace_back();
      if (!node.outputs[i].valid()) continue;
      program_.places[*output] = place_of_output(id, node, i, *output, places);
      places.outputs.back() = program_.places[*output++];
    }
    return places;
  }

  /// The place of output `index`. A view of a gradient that the YieldOp's caller returns has the
  /// gradient's place, outside of the buffer to which the timeline assigns the view.
  Place place_of_output(NodeId id, const Node& node, std::size_t index, ValueId value,
                        const NodePlaces& places) {
    const Op& op = nodes_.op(id);
    if (op.output_on_host) program_.on_host[timeline_.buffer_of[value]] = true;
    const auto shared = op.alias != nullptr ? op.alias(graph_, node, index) : std::nullopt;
    if (shared && places.inputs[*shared].kind == Place::Kind::gradient) {
      return places.inputs[*shared];
    }
    return place_in_buffer(value);
  }

  void add_single(NodeId id, const Node& node, ProgramStep& step) {
    const CudaKernel& kernel = cuda_kernel(node);
    const LoweringContext context = lowering_context(id, node);
    const NodePlaces places = places_of(id, node, kernel);
    calls_.add(kernel.lower != nullptr
                   ? kernel.lower(context)
                   : lower_group({{context, kernel.expression, no_members(context)}}),
               {places}, step);
  }

  static std::vector<std::optional<std::size_t>> no_members(const LoweringContext& context) {
    return std::vector<std::optional<std::size_t>>(context.inputs.size());
  }

  void add_group(FusedGroupId group, ProgramStep& step) {
    std::vector<GroupMember> members;
    std::vector<NodePlaces> places;
    for (const NodeId id : groups_.members[group]) {
      const Node& node = nodes_.node(id);
      const CudaKernel& kernel = cuda_kernel(node);
      if (kernel.expression == nullptr) fail_run("", "cannot run within a fused group");
      GroupMember member{lowering_context(id, node), kernel.expression, {}};
      for (const ValueId input : topology_.inputs[id])
        member.made_by.push_back(maker(group, input));
      member.stores = timeline_.buffer_of[topology_.outputs[id][0]].valid();
      members.push_back(std::move(member));
      places.push_back(places_of(id, node, kernel));
    }
    calls_.add(lower_group(members), places, step);
  }

  std::optional<std::size_t> maker(FusedGroupId group, ValueId value) const {
    if (!value.valid() || !topology_.producer[value].valid()) return std::nullopt;
    const auto members = groups_.members[group];
    const auto found = std::ranges::find(members, topology_.producer[value]);
    if (found == members.end()) return std::nullopt;
    return static_cast<std::size_t>(found - members.begin());
  }

  void return_gradients(NodeId id) {
    for (const auto& [output, operand] : nodes_.returned(id)) {
      const OperandType& type = program_.types[operand];
      program_.places[output] = {Place::Kind::gradient,
                                 static_cast<std::uint32_t>(program_.gradients.size()), 0};
      program_.types[output] = type;
      program_.gradients.push_back(
          returned_gradient(graph_, output, Tensor(type.element, type.dims), inputs_));
    }
    for (const ValueId operand : topology_.inputs[id]) require_on_device(operand);
  }

  /// Adds the update of each parameter that has a gradient. If the gradient is released right after
  /// its node, the update runs in the node's slot, else after the last slot.
  void add_updates() {
    if (update_.choice.optimizer == "none") {
      fail_usage("--update", "needs an optimizer", "choose one with --optimizer");
    }
    for (const Parameter& each : update_.parameters) {
      if (!each.gradient.valid()) continue;
      const auto& released = timeline_.released_outputs;
      const bool at_once = std::ranges::find(released, each.gradient) != released.end();
      if (at_once) require_no_reader_behind(each);
      add_update(each, at_once ? program_.steps[step_of_[topology_.producer[each.gradient]]]
                               : program_.updates);
    }
  }

  /// Rejects an order in which a node reads the parameter after its update, because this node would
  /// read the updated values.
  void require_no_reader_behind(const Parameter& each) const {
    const BufferId parameter = timeline_.buffer_of[each.value];
    const NodeId maker = topology_.producer[each.gradient];
    for (std::size_t i = step_of_[maker] + 1; i < timeline_.order.size(); ++i) {
      for (const ValueId input : topology_.inputs[timeline_.order[i]]) {
        if (!input.valid() || timeline_.buffer_of[input] != parameter) continue;
        fail_usage(
            "--update with released gradients",
            "node '" + name_of(graph_, dataflow_, timeline_.order[i]) +
                "' would read the parameter '" + printable(graph_.value(each.value).name) +
                "' after its update",
            "choose another execution order, or keep the gradients until the end of the step");
      }
    }
  }

  void add_update(const Parameter& each, ProgramStep& step) {
    const OperandType& parameter = program_.types[each.value];
    const UpdateShape shape{update_.choice.optimizer,
                            parameter.element,
                            program_.types[each.gradient].element,
                            parameter.elements(),
                            update_.choice.master_weights,
                            rates_of(update_.choice.optimizer, settings_.learning_rate)};
    NodePlaces places;
    places.inputs = {
        program_.places[each.value], program_.places[each.gradient], {Place::Kind::run, 0, 0}};
    for (const BufferId id : IdRange<BufferId>(timeline_.buffers.size())) {
      const Buffer& buffer = timeline_.buffers[id];
      if (!buffer.state || buffer.root != each.value) continue;
      places.inputs.push_back({Place::Kind::buffer, static_cast<std::uint32_t>(id.index()), 0});
    }
    calls_.add(lower_update(shape), {places}, step);
  }

  void plan_memory() {
    size_buffers();
    for (const BufferId id : IdRange<BufferId>(timeline_.buffers.size())) {
      const Buffer& buffer = timeline_.buffers[id];
      if (buffer.persistent) continue;
      program_.steps[buffer.first_slot].allocates.push_back(id);
      if (!buffer.returned) program_.steps[buffer.last_slot].releases.push_back(id);
    }
  }

  void size_buffers() {
    IdVector<BufferId, bool> is_sized(timeline_.buffers.size(), false);
    for (const Buffer& buffer : timeline_.buffers) program_.buffer_bytes.push_back(buffer.bytes);
    for (const ValueId value : IdRange<ValueId>(program_.places.size())) {
      if (program_.places[value].kind != Place::Kind::buffer) continue;
      const BufferId id(program_.places[value].index);
      const std::int64_t bytes = program_.types[value].bytes();
      program_.buffer_bytes[id] = std::max(bytes, is_sized[id] ? program_.buffer_bytes[id] : 0);
      is_sized[id] = true;
    }
    const auto dims_of = [this](ValueId id) -> const std::vector<std::int64_t>& {
      return program_.types[id].dims;
    };
    program_.data_dependent = data_dependent_sizes(graph_, dims_of);
  }

  const Graph& graph_;
  const Dataflow& dataflow_;
  const Topology& topology_;
  const Timeline& timeline_;
  const FusedGroups& groups_;
  const NamedTensors& inputs_;
  const ParameterUpdate& update_;
  const RunSettings& settings_;
  StepNodes nodes_;
  HostNeeds needs_;
  SymbolTable symbols_;
  IdVector<NodeId, std::size_t> step_of_;
  IdVector<ValueId, bool> is_uploaded_;
  CallPlacer calls_;
  Program program_;
};

}  // namespace

Program make_program(const RunPlan& plan, const NamedTensors& inputs, const RunSettings& settings,
                     Device& device, const Progress& progress) {
  return ProgramBuilder(plan, inputs, settings, device).build(progress);
}

}  // namespace stashscope::cuda
