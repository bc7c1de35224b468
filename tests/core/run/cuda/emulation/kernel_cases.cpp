#include "kernel_cases.h"
#include "core/ops/families/standard_ops.h"
#include "core/run/cuda/ops/standard_kernels.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/graph/dataflow.h"
#include "core/run/cuda/codegen/kernel_library.h"
#include "core/run/cuda/codegen/pointwise.h"

namespace stashscope::testing_run {

using cuda::CudaKernel;
using cuda::Device;
using cuda::DevicePointer;
using cuda::Lowered;
using cuda::Operand;
using cuda::Pool;

namespace {

std::string signature(const cuda::KernelCall& call, const std::string& name) {
  return "extern \"C\" __global__ void __launch_bounds__(" + std::to_string(call.shape.threads) +
         ") " + name + call.text;
}

kernels::TensorView view_of(const Tensor& tensor) {
  const TensorBytes bytes = tensor.load();
  return {tensor.element(), tensor.dims(), const_cast<std::byte*>(bytes.bytes.data())};
}

Node node_of(const OneNode& what) {
  Node node;
  node.name = "node";
  node.domain = what.domain;
  node.op_type = what.type;
  node.attributes = what.attributes;
  for (std::size_t i = 0; i < what.inputs.size(); ++i) {
    const bool present = what.inputs[i].element() != ElementType::undefined;
    node.inputs.push_back(present ? ValueId(i) : ValueId());
  }
  for (std::size_t i = 0; i < what.outputs; ++i) {
    node.outputs.push_back(ValueId(what.inputs.size() + i));
  }
  return node;
}

/// The seed that the CPU runner uses, where outputs are y0, y1, ...
std::uint64_t seed_of(const Node& node) {
  const AttributeValue* const value = node.attributes.find("seed");
  if (value == nullptr) return static_cast<std::uint64_t>(seed_for("y0"));
  if (const auto* const real = std::get_if<float>(value)) {
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(*real));
  }
  return static_cast<std::uint64_t>(node.attributes.integer("seed", 0));
}

const CudaKernel& registered_kernel(const Node& node) {
  const CudaKernel* const found = cuda::standard_kernels().find(node);
  if (found == nullptr) fail_run("", "no kernel for " + node.op_type);
  return *found;
}

const CudaKernel& kernel_of(const KernelCase& each) {
  return each.kernel != nullptr ? *each.kernel : registered_kernel(node_of(each.node));
}

Lowered lowered(const CudaKernel& kernel, const cuda::LoweringContext& context) {
  if (kernel.lower != nullptr) return kernel.lower(context);
  return cuda::lower_group({{context, kernel.expression}});
}

/// A tensor of equal type and dims, filled with poison.
Tensor like(const Tensor& tensor) {
  const std::string poison(tensor.load().bytes.size(), static_cast<char>(EmulatedDevice::poison));
  return {tensor.element(), tensor.dims(), poison};
}

std::vector<Tensor> run_on_device(const KernelCase& each, const std::vector<Tensor>& expected,
                                  std::size_t number, KernelProgram& program, Device& device) {
  std::vector<std::unique_ptr<DeviceTensor>> tensors;
  MemberOperands operands;
  for (const Tensor& input : each.node.inputs) {
    const bool present = input.element() != ElementType::undefined;
    if (present) tensors.push_back(std::make_unique<DeviceTensor>(device, input));
    operands.inputs.push_back(present ? tensors.back()->data() : nullptr);
  }
  std::vector<DeviceTensor*> outputs;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (each.in_place && each.in_place->output == i) {
      const DevicePointer shared = operands.inputs[each.in_place->input];
      outputs.push_back(std::find_if(tensors.begin(), tensors.end(), [&](const auto& tensor) {
                          return tensor->data() == shared;
                        })->get());
    } else {
      tensors.push_back(std::make_unique<DeviceTensor>(device, like(expected[i])));
      outputs.push_back(tensors.back().get());
    }
    operands.outputs.push_back(outputs.back()->data());
  }
  program.run(number, {operands}, device);
  std::vector<Tensor> results;
  for (const DeviceTensor* output : outputs) results.push_back(output->read());
  return results;
}

double rounding_of(ElementType element) {
  switch (element) {
    case ElementType::float64:
      return 1e-12;
    case ElementType::float32:
      return 4e-6;
    case ElementType::float16:
      return 2e-3;
    case ElementType::bfloat16:
      return 1.6e-2;
    default:
      return 0;
  }
}

bool same_numbers(const std::vector<double>& a, const std::vector<double>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](double left, double right) {
    return left == right || (std::isnan(left) && std::isnan(right));
  });
}

}  // namespace

double order_tolerance(ElementType element) {
  switch (element) {
    case ElementType::float64:
      return 1e-12;
    case ElementType::float16:
      return 1e-3;
    case ElementType::bfloat16:
      return 8e-3;
    default:
      return 2e-6;
  }
}

double tolerance_on_device(ElementType element, double tolerance) {
  return tests_run_on_gpu() ? std::max(tolerance, rounding_of(element)) : tolerance;
}

/// The calls of one lowered node on given operands.
class KernelProgram::Execution {
 public:
  Execution(const KernelProgram& program, const Lowered& lowered,
            const std::vector<MemberOperands>& operands, Device& device)
      : program_(program), lowered_(lowered), operands_(operands), device_(device) {}

  void run() {
    for (const std::int64_t bytes : lowered_.scratch_bytes) {
      scratch_.push_back(device_.allocate(Pool::workspaces, bytes));
    }
    for (const cuda::Call& call : lowered_.calls) {
      std::visit([&](const auto& each) { perform(each); }, call);
    }
    for (const DevicePointer memory : scratch_) device_.release(Pool::workspaces, memory);
  }

 private:
  DevicePointer at(const Operand& operand) const { return start_of(operand) + operand.offset; }

  DevicePointer start_of(const Operand& operand) const {
    switch (operand.kind) {
      case Operand::Kind::input:
        return operands_.at(operand.member).inputs.at(operand.index);
      case Operand::Kind::output:
        return operands_.at(operand.member).outputs.at(operand.index);
      case Operand::Kind::scratch:
        return scratch_.at(operand.index);
    }
    return nullptr;
  }

  void perform(const cuda::KernelCall& call) {
    std::vector<DevicePointer> pointers;
    for (const Operand& operand : call.operands) pointers.push_back(at(operand));
    const std::size_t kernel = program_.texts_.at(signature(call, ""));
    device_.launch(program_.kernels_[kernel], call.shape, pointers);
  }

  void perform(const cuda::MatmulCall& call) {
    const auto shifted = [&](const Operand& operand, std::int64_t offset) {
      return at(operand) + packed_bytes(call.shape.element, offset);
    };
    const cuda::MatmulId id = device_.prepare(call.shape);
    with_workspace(device_.workspace_bytes(id), [&](DevicePointer workspace) {
      device_.multiply(id, shifted(call.a, call.offset_a), shifted(call.b, call.offset_b),
                       call.bias ? at(*call.bias) : nullptr, shifted(call.d, call.offset_d),
                       workspace);
    });
  }

  void perform(const cuda::ConvolutionCall& call) {
    const std::array<DevicePointer, 3> operands = {at(call.operands[0]), at(call.operands[1]),
                                                   at(call.operands[2])};
    const cuda::ConvolutionId id = device_.prepare(call.shape);
    with_workspace(device_.workspace_bytes(id),
                   [&](DevicePointer workspace) { device_.convolve(id, operands, workspace); });
  }

  void perform(const cuda::RowCopyCall& call) {
    device_.copy_rows(at(call.to) + call.to_offset, at(call.from) + call.from_offset, call.shape);
  }
  void perform(const cuda::CopyCall& call) { device_.copy(at(call.to), at(call.from), call.bytes); }
  void perform(const cuda::ZeroCall& call) { device_.fill(at(call.to), 0, call.bytes); }

  template <class Body>
  void with_workspace(std::int64_t bytes, Body body) {
    const DevicePointer workspace = device_.allocate(Pool::workspaces, bytes);
    body(workspace);
    device_.release(Pool::workspaces, workspace);
  }

  const KernelProgram& program_;
  const Lowered& lowered_;
  const std::vector<MemberOperands>& operands_;
  Device& device_;
  std::vector<DevicePointer> scratch_;
};

std::size_t KernelProgram::add(Lowered lowered) {
  for (const cuda::Call& call : lowered.calls) {
    if (const auto* const kernel = std::get_if<cuda::KernelCall>(&call)) {
      texts_.emplace(signature(*kernel, ""), texts_.size());
    }
  }
  lowered_.push_back(std::move(lowered));
  return lowered_.size() - 1;
}

void KernelProgram::compile(Device& device) {
  std::string text = cuda::kernel_library();
  std::vector<std::string> names(texts_.size());
  for (const auto& [signature, place] : texts_) {
    names[place] = "kernel_" + std::to_string(place);
    std::string entry = signature;
    text += "\n" + entry.insert(entry.find(") ") + 2, names[place]) + "\n";
  }
  kernels_ = names.empty() ? std::vector<cuda::KernelId>() : device.compile(text, names);
}

void KernelProgram::run(std::size_t number, const std::vector<MemberOperands>& operands,
                        Device& device) {
  Execution(*this, lowered_[number], operands, device).run();
}

CaseContext context_of(const OneNode& what, const std::vector<Tensor>& outputs,
                       const CudaKernel& kernel) {
  auto node = std::make_unique<Node>(node_of(what));
  const Op* const op = standard_ops().find(*node);
  if (op == nullptr) fail_run("", "no operator " + what.type);
  auto context = std::make_unique<cuda::LoweringContext>(cuda::LoweringContext{
      *node, since_version(*op, what.domain.empty() ? what.opset : 1), {}, {}, {}});
  for (std::size_t i = 0; i < what.inputs.size(); ++i) {
    const Tensor& input = what.inputs[i];
    context->inputs.push_back({input.element(), input.dims()});
    const bool known =
        input.element() != ElementType::undefined && cuda::is_host_input(kernel, *node, i);
    context->contents.push_back(known ? view_of(input) : kernels::TensorView());
  }
  for (const Tensor& output : outputs)
    context->outputs.push_back({output.element(), output.dims()});
  context->seed = seed_of(*node);
  return {std::move(node), std::move(context)};
}

Lowered lowered_node(const CaseContext& known) {
  return lowered(registered_kernel(*known.node), *known.context);
}

std::vector<Tensor> results_on_device(const OneNode& node, const std::vector<Tensor>& outputs) {
  const auto opened = test_device();
  KernelProgram program;
  program.add(lowered_node(context_of(node, outputs)));
  program.compile(*opened);
  return run_on_device({.node = node}, outputs, 0, program, *opened);
}

DeviceTensor::DeviceTensor(Device& device, const Tensor& tensor)
    : device_(device),
      element_(tensor.element()),
      dims_(tensor.dims()),
      data_(device.allocate(Pool::tensors, tensor.size_in_bytes())) {
  device.copy(data_, tensor.load().bytes.data(), tensor.size_in_bytes());
}

DeviceTensor::~DeviceTensor() noexcept(false) { device_.release(Pool::tensors, data_); }

Tensor DeviceTensor::read() const {
  std::string raw(static_cast<std::size_t>(packed_bytes(element_, element_count(dims_))), '\0');
  device_.copy(reinterpret_cast<std::byte*>(raw.data()), data_,
               static_cast<std::int64_t>(raw.size()));
  return {element_, dims_, std::move(raw)};
}

void expect_near(const Tensor& actual, const Tensor& expected, double tolerance) {
  ASSERT_EQ(actual.dims(), expected.dims());
  if (same_bits(actual, expected)) return;
  tolerance = tolerance_on_device(expected.element(), tolerance);
  ASSERT_FALSE(numbers(expected).empty()) << "other bits";
  if (tolerance == 0) {
    const std::vector<double> items = numbers(actual);
    EXPECT_TRUE(is_floating(actual.element()) && same_numbers(items, numbers(expected)))
        << ::testing::PrintToString(items) << " instead of "
        << ::testing::PrintToString(numbers(expected));
    return;
  }
  const Difference found = difference(actual, expected);
  EXPECT_LE(found.largest, tolerance * found.largest_value)
      << ::testing::PrintToString(numbers(actual)) << " instead of "
      << ::testing::PrintToString(numbers(expected));
}

void expect_as_on_cpu(const std::vector<KernelCase>& cases) {
  const auto opened = test_device();
  Device& device = *opened;
  const std::int64_t tensors = device.used_bytes(Pool::tensors);
  const std::int64_t workspaces = device.used_bytes(Pool::workspaces);
  KernelProgram program;
  std::vector<std::vector<Tensor>> expected;
  for (const KernelCase& each : cases) {
    SCOPED_TRACE(each.node.type);
    expected.push_back(run_node(each.node));
    const CudaKernel& kernel = kernel_of(each);
    program.add(lowered(kernel, *context_of(each.node, expected.back(), kernel).context));
  }
  program.compile(device);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    SCOPED_TRACE("case " + std::to_string(i) + ", " + cases[i].node.type);
    const std::vector<Tensor> actual = run_on_device(cases[i], expected[i], i, program, device);
    for (std::size_t k = 0; k < actual.size(); ++k) {
      expect_near(actual[k], expected[i][k], cases[i].tolerance);
    }
  }
  device.synchronize();
  EXPECT_EQ(device.used_bytes(Pool::tensors), tensors);
  EXPECT_EQ(device.used_bytes(Pool::workspaces), workspaces);
}

}  // namespace stashscope::testing_run
