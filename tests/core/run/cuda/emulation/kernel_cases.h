#pragma once

// Running operators with the device's kernels and comparing with those of the CPU.

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

/// A tolerance where sums are made in another order than on the CPU, which may change the last bit
/// of what is stored.
double order_tolerance(ElementType element);

/// Where tests run on a real device: not below what its functions, such as expf, may be from the
/// host's, relative to the largest element.
double tolerance_on_device(ElementType element, double tolerance);

/// A node to run on both sides.
struct KernelCase {
  OneNode node;
  /// How far an element may be from the CPU's, relative to the largest; 0: the same numbers.
  double tolerance = 0;
  /// The output has the memory of the input.
  std::optional<InPlace> in_place = {};
  /// Null: that of the registry.
  const cuda::CudaKernel* kernel = nullptr;
};

/// By member of a group (one for a lowered node): where the operands are.
struct MemberOperands {
  std::vector<cuda::DevicePointer> inputs;
  std::vector<cuda::DevicePointer> outputs;
};

/// Kernels of many nodes, compiled in one go.
class KernelProgram {
 public:
  /// Takes what a node was lowered to. Returns its number.
  std::size_t add(cuda::Lowered lowered);
  /// Throws a run Error with the compiler's messages when a kernel does not compile.
  void compile(cuda::Device& device);
  void run(std::size_t number, const std::vector<MemberOperands>& operands, cuda::Device& device);

 private:
  class Execution;

  std::vector<cuda::Lowered> lowered_;
  std::map<std::string, std::size_t>
      texts_;  ///< each behind its bounds, with its place in kernels_
  std::vector<cuda::KernelId> kernels_;
};

/// What is known of a case's node before it runs, with the node itself.
struct CaseContext {
  std::unique_ptr<Node> node;
  std::unique_ptr<cuda::LoweringContext> context;
};
/// @param outputs as the CPU made them
CaseContext context_of(const OneNode& what, const std::vector<Tensor>& outputs,
                       const cuda::CudaKernel& kernel);

/// A tensor's elements in the device's memory.
class DeviceTensor {
 public:
  DeviceTensor(cuda::Device& device, const Tensor& tensor);
  ~DeviceTensor() noexcept(false);
  DeviceTensor(const DeviceTensor&) = delete;
  DeviceTensor& operator=(const DeviceTensor&) = delete;

  cuda::DevicePointer data() const { return data_; }
  /// The elements that are there now.
  Tensor read() const;

 private:
  cuda::Device& device_;
  ElementType element_;
  std::vector<std::int64_t> dims_;
  cuda::DevicePointer data_;
};

/// Lowers all cases, compiles what comes out in one go, runs it, and expects what the CPU makes.
void expect_as_on_cpu(const std::vector<KernelCase>& cases);

/// Expects `actual` to be `expected` within a tolerance as above.
void expect_near(const Tensor& actual, const Tensor& expected, double tolerance);

}  // namespace stashscope::testing_run
