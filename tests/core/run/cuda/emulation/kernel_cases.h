#pragma once

// Runs operators with the device's kernels and compares them with the CPU's.

#include <optional>
#include <string>
#include <vector>

#include "core/ops/rules/op.h"
#include "core/run/cuda/codegen/lowering.h"
#include "emulated_device.h"
#include "made_tensors.h"
#include "test_device.h"
#include "tests/core/run/cpu/kernels/one_node.h"

namespace stashscope::testing_run {

inline constexpr ElementType device_floats[] = {ElementType::float32, ElementType::float16,
                                                ElementType::bfloat16};

/// Tolerance, relative to the largest element, for sums that the CPU adds in another order. For
/// types of 16 bits, it is about the last stored bit.
double order_tolerance(ElementType element);

/// `tolerance`, or a larger one on a real device, whose functions, such as expf, differ from the
/// host's. Relative to the largest element.
double tolerance_on_device(ElementType element, double tolerance);

/// A node to run on both sides.
struct KernelCase {
  OneNode node;
  /// Tolerance against the CPU, relative to the largest element; 0: equal numbers.
  double tolerance = 0;
  /// The output shares the input's memory.
  std::optional<InPlace> in_place = {};
  /// Null: the registry's kernel.
  const cuda::CudaKernel* kernel = nullptr;
};

/// The operands' memory by member of a group (one member for a lowered node).
struct MemberOperands {
  std::vector<cuda::DevicePointer> inputs;
  std::vector<cuda::DevicePointer> outputs;
};

/// Kernels of many nodes, compiled together.
class KernelProgram {
 public:
  /// Adds a lowered node and returns its number.
  std::size_t add(cuda::Lowered lowered);
  /// Throws a run Error with the compiler's messages when a kernel does not compile.
  void compile(cuda::Device& device);
  void run(std::size_t number, const std::vector<MemberOperands>& operands, cuda::Device& device);

 private:
  class Execution;

  std::vector<cuda::Lowered> lowered_;
  std::map<std::string, std::size_t> texts_;  ///< with launch bounds; the index in kernels_
  std::vector<cuda::KernelId> kernels_;
};

/// The lowering context of a case's node, with the node.
struct CaseContext {
  std::unique_ptr<Node> node;
  std::unique_ptr<cuda::LoweringContext> context;
};
/// @param outputs the outputs of the CPU runner @param kernel says which inputs the host knows
CaseContext context_of(const OneNode& what, const std::vector<Tensor>& outputs,
                       const cuda::CudaKernel& kernel = {});
/// Lowers a node with the registry's kernel.
cuda::Lowered lowered_node(const CaseContext& known);
/// What the registry's kernel makes of a node, for what the CPU's kernel refuses.
/// @param outputs tensors of the types and dims of the results
std::vector<Tensor> results_on_device(const OneNode& node, const std::vector<Tensor>& outputs);

/// A tensor in device memory.
class DeviceTensor {
 public:
  DeviceTensor(cuda::Device& device, const Tensor& tensor);
  ~DeviceTensor() noexcept(false);
  DeviceTensor(const DeviceTensor&) = delete;
  DeviceTensor& operator=(const DeviceTensor&) = delete;

  cuda::DevicePointer data() const { return data_; }
  /// The elements that are now in the device memory.
  Tensor read() const;

 private:
  cuda::Device& device_;
  ElementType element_;
  std::vector<std::int64_t> dims_;
  cuda::DevicePointer data_;
};

/// Lowers all cases, compiles and runs them together, and expects the CPU's results.
void expect_as_on_cpu(const std::vector<KernelCase>& cases);

/// Expects `actual` to equal `expected` within a tolerance, relative to the largest element.
void expect_near(const Tensor& actual, const Tensor& expected, double tolerance);

}  // namespace stashscope::testing_run
