#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "core/run/cuda/device/device.h"
#include "core/run/shared/kernel.h"

namespace stashscope::cuda {

/// Element type and dims of an operand; an operand left out has an undefined element type.
struct OperandType {
  ElementType element = ElementType::undefined;
  std::vector<std::int64_t> dims;

  bool present() const { return element != ElementType::undefined; }
  std::int64_t rank() const { return static_cast<std::int64_t>(dims.size()); }
  std::int64_t elements() const { return element_count(dims); }
  std::int64_t bytes() const { return packed_bytes(element, elements()); }
  /// @param axis -1 is the last axis
  std::int64_t dim(std::int64_t axis) const {
    return dims[static_cast<std::size_t>(axis < 0 ? axis + rank() : axis)];
  }
};

/// A node and everything known about it before it runs.
struct LoweringContext {
  const Node& node;
  std::int64_t version;  ///< since-version of the operator
  std::vector<OperandType> inputs;
  std::vector<OperandType> outputs;  ///< not present() if left out
  std::vector<kernels::TensorView>
      contents;                 ///< by input; present() if the host knows the elements
  std::uint64_t seed = 0;       ///< for random operators
  bool rounds_to_tf32 = false;  ///< float32 products and convolutions may use TF32

  const Attributes& attributes() const { return node.attributes; }
  bool has_input(std::size_t index) const {
    return index < inputs.size() && inputs[index].present();
  }
  bool has_output(std::size_t index) const {
    return index < outputs.size() && outputs[index].present();
  }
  const OperandType& in(std::size_t index = 0) const { return inputs[index]; }
  const OperandType& out(std::size_t index = 0) const { return outputs[index]; }
  /// Elements of an input as 64-bit integers. Throws a run Error if the host does not know the
  /// elements.
  std::vector<std::int64_t> integers(std::size_t input) const;
};

/// An operand of a call: an input or output of a node, or scratch memory. In a fused group,
/// `member` is the index of the node.
struct Operand {
  enum class Kind : std::uint8_t { input, output, scratch };

  Kind kind = Kind::input;
  std::uint16_t index = 0;
  std::uint16_t member = 0;  ///< index of the node within the fused group
  std::int64_t offset = 0;   ///< bytes from the start of the input, output or scratch memory

  friend bool operator==(const Operand&, const Operand&) = default;
};
constexpr Operand input(std::size_t index, std::size_t member = 0) {
  return {Operand::Kind::input, static_cast<std::uint16_t>(index),
          static_cast<std::uint16_t>(member)};
}
constexpr Operand output(std::size_t index = 0, std::size_t member = 0) {
  return {Operand::Kind::output, static_cast<std::uint16_t>(index),
          static_cast<std::uint16_t>(member)};
}
constexpr Operand scratch(std::size_t index) {
  return {Operand::Kind::scratch, static_cast<std::uint16_t>(index), 0};
}
/// The part of `operand` that begins `bytes` bytes after the start of the operand.
constexpr Operand behind(Operand operand, std::int64_t bytes) {
  operand.offset += bytes;
  return operand;
}

/// A generated kernel. Kernels with equal text and equal block size are compiled once.
struct KernelCall {
  /// Parameter list and body of the entry function, such as `(const float* x, float* y) {...}`. The
  /// body may use the kernel library (kernels/).
  std::string text;
  LaunchShape shape;
  std::vector<Operand> operands;  ///< one per parameter, in order
};

struct MatmulCall {
  MatmulShape shape;
  Operand a;
  Operand b;
  Operand d;
  std::optional<Operand> bias;
  /// Offset of each matrix from the start of its operand, in elements.
  std::int64_t offset_a = 0;
  std::int64_t offset_b = 0;
  std::int64_t offset_d = 0;
};

struct ConvolutionCall {
  ConvolutionShape shape;
  std::array<Operand, 3> operands;  ///< in the order of Device::convolve
};

struct CopyCall {
  Operand from;
  Operand to;
  std::int64_t bytes = 0;
};

struct RowCopyCall {
  RowCopy shape;
  Operand from;
  Operand to;
  std::int64_t from_offset = 0;  ///< bytes from the start of the operand
  std::int64_t to_offset = 0;
};

struct ZeroCall {
  Operand to;
  std::int64_t bytes = 0;
};

using Call = std::variant<KernelCall, MatmulCall, ConvolutionCall, CopyCall, RowCopyCall, ZeroCall>;

/// The calls that run a node on the device, in order.
struct Lowered {
  std::vector<Call> calls;
  std::vector<std::int64_t> scratch_bytes;  ///< by scratch operand; allocated while the node runs

  void add(Call call);

  /// Adds scratch memory of `bytes`, which is allocated while the node runs.
  Operand add_scratch(std::int64_t bytes) {
    scratch_bytes.push_back(bytes);
    return scratch(scratch_bytes.size() - 1);
  }
};

/// A lowering of one call without scratch memory.
Lowered single_call(Call call);

/// Appends the calls of `more`, which must not have scratch memory.
void append(Lowered& lowered, Lowered more);

/// Lowers to one call that copies the elements of input `index` to the first output, whose dims may
/// differ from the dims of the input. If the output has no elements, there is no call.
Lowered copied_input(const LoweringContext& context, std::size_t index);

/// Lowers a node. Throws a run Error that names what is not supported on CUDA devices.
using LoweringFunction = Lowered (*)(const LoweringContext&);

/// A CUDA C++ expression for one element of a pointwise node's output, in the output's compute
/// type. The expression may use `position`, the element's index in the output, of type UInt64.
/// @param operands for each input, the variable that holds the element, in the input's compute
/// type; empty for an operand left out
using ExpressionFunction = std::string (*)(const LoweringContext&,
                                           const std::vector<std::string>& operands);

/// How the device runs an operator. At least one of `lower` and `expression` is set.
struct CudaKernel {
  LoweringFunction lower = nullptr;
  /// Set for pointwise operators (with broadcasting), which can be members of a fused group. If it
  /// is set, `lower` may be null.
  ExpressionFunction expression = nullptr;
  /// Indices of the inputs whose elements the host must know before the step runs (shapes, axes).
  std::vector<std::size_t> host_inputs = {};
  /// The host must also know all inputs from this index on.
  std::size_t host_inputs_from = static_cast<std::size_t>(-1);
  /// For operators whose attributes say which further inputs the host must know: the indices of
  /// these inputs.
  std::vector<std::size_t> (*more_host_inputs)(const Node&) = nullptr;
};

/// Whether the host must know the elements of an input before the step runs.
bool is_host_input(const CudaKernel& kernel, const Node& node, std::size_t input);

/// Kernels by domain and type of the operator.
class CudaKernelRegistry {
 public:
  void add(std::string_view domain, std::string_view type, CudaKernel kernel);
  /// Null if no kernel is registered for the node's operator.
  const CudaKernel* find(const Node& node) const;

 private:
  std::unordered_map<std::string, CudaKernel> kernels_;
};

}  // namespace stashscope::cuda
