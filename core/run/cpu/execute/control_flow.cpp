#include "core/run/cpu/execute/control_flow.h"

#include <cstring>
#include <limits>

#include "core/base/error.h"
#include "core/run/cpu/primitives/shared_names.h"
#include "core/run/shared/walk.h"

namespace stashscope::cpu {

namespace {

bool is_given(const std::vector<Tensor>& inputs, std::size_t index) {
  return index < inputs.size() && inputs[index].element() != ElementType::undefined;
}

std::int64_t number_of(const Tensor& tensor) {
  const auto items = tensor.integers();
  if (!items || items->size() != 1)
    fail_run("", "its trip count or condition is not a single number");
  return (*items)[0];
}

Tensor flag(bool value) { return {ElementType::boolean, {}, std::string(1, value ? '\1' : '\0')}; }

std::size_t bytes_per_element(const Tensor& tensor) {
  const int bits = bits_per_element(tensor.element());
  if (bits % 8 != 0 || bits == 0) {
    fail_run("", "cannot slice or stack tensors of type " + std::string(name_of(tensor.element())));
  }
  return static_cast<std::size_t>(bits) / 8;
}

/// The slice at position `index` of `axis`, without that axis.
Tensor slice_of(const Tensor& tensor, std::int64_t axis, std::int64_t index) {
  const AxisSplit split = split_at(tensor.dims(), axis);
  const auto run = static_cast<std::size_t>(split.inner) * bytes_per_element(tensor);
  const TensorBytes data = tensor.load();
  std::string raw;
  for (std::int64_t outer = 0; outer < split.outer; ++outer) {
    const auto at = static_cast<std::size_t>(outer * split.size + index) * run;
    raw.append(reinterpret_cast<const char*>(data.bytes.data()) + at, run);
  }
  std::vector<std::int64_t> dims = tensor.dims();
  dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(axis_in(axis, std::ssize(dims))));
  return {tensor.element(), std::move(dims), std::move(raw)};
}

/// Stacks tensors of equal dims along a new `axis`. Throws a run Error if the dims differ.
Tensor stack(const std::vector<Tensor>& parts, std::int64_t axis) {
  std::vector<std::int64_t> dims = parts[0].dims();
  const auto at = static_cast<std::ptrdiff_t>(axis_in(axis, std::ssize(dims) + 1));
  dims.insert(dims.begin() + at, std::ssize(parts));
  const AxisSplit split = split_at(dims, at);
  const auto run = static_cast<std::size_t>(split.inner) * bytes_per_element(parts[0]);
  std::string raw(static_cast<std::size_t>(split.outer) * parts.size() * run, '\0');
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].dims() != parts[0].dims())
      fail_run("", "the dims of a scan output differ between iterations");
    const TensorBytes data = parts[i].load();
    for (std::size_t outer = 0; outer < static_cast<std::size_t>(split.outer); ++outer) {
      std::memcpy(raw.data() + (outer * parts.size() + i) * run, data.bytes.data() + outer * run,
                  run);
    }
  }
  return {parts[0].element(), std::move(dims), std::move(raw)};
}

const Graph& body_of(const Node& node, const char* name) {
  const Subgraph body = node.attributes.subgraph(name);
  if (!body) fail_run("", std::string("lacks its subgraph '") + name + "'");
  return *body;
}

/// Runs a subgraph and returns its outputs. `inputs` are in the order of the subgraph's inputs.
std::vector<Tensor> run_body(const ControlFlow& flow, const Graph& body,
                             const std::vector<Tensor>& inputs) {
  const std::vector<ValueId>& wanted = body.data().inputs;
  if (inputs.size() != wanted.size()) {
    fail_run("", "gives " + std::to_string(inputs.size()) +
                     " inputs to its subgraph, which takes " + std::to_string(wanted.size()));
  }
  NamedTensors named = flow.captured;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    named.insert_or_assign(body.value(wanted[i]).name, inputs[i]);
  }
  const NamedTensors results = flow.run(body, named);
  std::vector<Tensor> outputs;
  for (const ValueId output : body.data().outputs) {
    outputs.push_back(results.at(body.value(output).name));
  }
  return outputs;
}

std::vector<Tensor> run_if(const ControlFlow& flow) {
  const bool taken = number_of(flow.inputs.at(0)) != 0;
  return run_body(flow, body_of(flow.node, taken ? "then_branch" : "else_branch"), {});
}

/// The scan output of a Loop or Scan without iterations: an empty tensor, with the declared dims
/// and a new `axis` of size 0.
Tensor nothing_of(const TensorType& type, std::int64_t axis) {
  std::vector<std::int64_t> dims;
  bool known = type.shape && type.element != ElementType::undefined;
  for (const Expr& dim : type.shape.value_or(Shape())) {
    known = known && dim.integer();
    dims.push_back(dim.integer().value_or(0));
  }
  if (!known)
    fail_run("", "runs no iteration, so the model must declare the dims of its scan outputs");
  const auto at = static_cast<std::ptrdiff_t>(axis_in(axis, std::ssize(dims) + 1));
  dims.insert(dims.begin() + at, 0);
  return {type.element, std::move(dims), std::string()};
}

/// Body: (iteration, condition, carried...) -> (condition, carried..., scan outputs...)
std::vector<Tensor> run_loop(const ControlFlow& flow) {
  const Graph& body = body_of(flow.node, "body");
  const std::int64_t most = is_given(flow.inputs, 0) ? number_of(flow.inputs[0])
                                                     : std::numeric_limits<std::int64_t>::max();
  bool goes_on = !is_given(flow.inputs, 1) || number_of(flow.inputs[1]) != 0;
  const std::size_t carried = flow.inputs.size() - std::min<std::size_t>(2, flow.inputs.size());
  const std::size_t body_outputs = body.data().outputs.size();
  if (body_outputs < carried + 1) fail_run("", "its body has too few outputs");
  std::vector<Tensor> state(flow.inputs.end() - static_cast<std::ptrdiff_t>(carried),
                            flow.inputs.end());
  std::vector<std::vector<Tensor>> scans(body_outputs - carried - 1);
  for (std::int64_t i = 0; i < most && goes_on; ++i) {
    std::vector<Tensor> inputs = {Tensor::int64_scalar(i), flag(true)};
    inputs.insert(inputs.end(), state.begin(), state.end());
    const std::vector<Tensor> results = run_body(flow, body, inputs);
    goes_on = number_of(results[0]) != 0;
    std::copy_n(results.begin() + 1, carried, state.begin());
    for (std::size_t k = 0; k < scans.size(); ++k) scans[k].push_back(results[1 + carried + k]);
  }
  std::vector<Tensor> outputs = std::move(state);
  for (std::size_t k = 0; k < scans.size(); ++k) {
    const TensorType& type = body.value(body.data().outputs[1 + carried + k]).type;
    outputs.push_back(scans[k].empty() ? nothing_of(type, 0) : stack(scans[k], 0));
  }
  return outputs;
}

std::int64_t entry(const Integers& list, std::size_t index) {
  return index < list.size() ? list[index] : 0;
}

/// Body: (state..., one slice of each scan input...) -> (state..., one slice of each scan
/// output...)
std::vector<Tensor> run_scan(const ControlFlow& flow) {
  if (flow.version < 9) fail_run("", "has a version before 9, which is not supported");
  const Attributes& attributes = flow.node.attributes;
  const Graph& body = body_of(flow.node, "body");
  const auto scanned = static_cast<std::size_t>(attributes.require_integer("num_scan_inputs"));
  if (scanned == 0 || scanned > flow.inputs.size()) {
    fail_run("", "its attribute num_scan_inputs is not between 1 and the number of its inputs");
  }
  const std::size_t states = flow.inputs.size() - scanned;
  const Integers axes = attributes.integers("scan_input_axes");
  const Integers output_axes = attributes.integers("scan_output_axes");
  const Integers backwards = attributes.integers("scan_input_directions");
  const auto length_of = [&](std::size_t i) {
    return split_at(flow.inputs[states + i].dims(), entry(axes, i)).size;
  };
  std::vector<Tensor> state(flow.inputs.begin(),
                            flow.inputs.begin() + static_cast<std::ptrdiff_t>(states));
  if (body.data().outputs.size() < states) fail_run("", "its body has too few outputs");
  std::vector<std::vector<Tensor>> scans(body.data().outputs.size() - states);
  const std::int64_t steps = length_of(0);
  for (std::int64_t step = 0; step < steps; ++step) {
    std::vector<Tensor> inputs = state;
    for (std::size_t i = 0; i < scanned; ++i) {
      if (length_of(i) != steps) fail_run("", "its scan inputs differ in length");
      const std::int64_t at = entry(backwards, i) != 0 ? steps - 1 - step : step;
      inputs.push_back(slice_of(flow.inputs[states + i], entry(axes, i), at));
    }
    const std::vector<Tensor> results = run_body(flow, body, inputs);
    std::copy_n(results.begin(), states, state.begin());
    for (std::size_t k = 0; k < scans.size(); ++k) scans[k].push_back(results[states + k]);
  }
  std::vector<Tensor> outputs = std::move(state);
  for (std::size_t k = 0; k < scans.size(); ++k) {
    if (entry(attributes.integers("scan_output_directions"), k) != 0) {
      std::reverse(scans[k].begin(), scans[k].end());
    }
    const TensorType& type = body.value(body.data().outputs[states + k]).type;
    const std::int64_t axis = entry(output_axes, k);
    outputs.push_back(scans[k].empty() ? nothing_of(type, axis) : stack(scans[k], axis));
  }
  return outputs;
}

}  // namespace

std::vector<Tensor> run_control_flow(const ControlFlow& flow) {
  std::vector<Tensor> outputs = flow.node.op_type == "If"     ? run_if(flow)
                                : flow.node.op_type == "Loop" ? run_loop(flow)
                                                              : run_scan(flow);
  if (outputs.size() < flow.node.outputs.size()) fail_run("", "its subgraph has too few outputs");
  return outputs;
}

}  // namespace stashscope::cpu
