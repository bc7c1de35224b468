#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/run/cuda/lowering.h"

namespace stashscope::cuda {

/// A kernel call under construction: its parameters are named as its body asks for them.
class CallText {
 public:
  /// Text of a pointer to the elements of an operand that the kernel reads (writes); of a null
  /// pointer where the type is not present.
  std::string reads(const OperandType& type, Operand operand);
  std::string writes(const OperandType& type, Operand operand);

  /// The same for inputs and outputs of a node.
  std::string reads(const LoweringContext& context, std::size_t index);
  std::string writes(const LoweringContext& context, std::size_t index = 0);

  /// A parameter of any pointer type; returns its name.
  std::string pointer(const std::string& type, Operand operand);

  /// @param body what the entry function does
  KernelCall call(const std::string& body, const LaunchShape& shape) const;

 private:
  std::vector<std::pair<std::string, Operand>> parameters_;  ///< declarations
};

/// `NAME<A, B, ...>`
std::string with_arguments(const std::string& name, const std::vector<std::string>& arguments);

/// The type that elements are computed in (float for 16 bits and less), and the one long sums of
/// them are added up in.
std::string compute_type(ElementType element);
std::string sum_type(ElementType element);

/// `type`, or float32 where it is left out: for the types of null pointers.
std::string type_or_float(const OperandType& type);

/// How many elements of these types fit into a 16-byte access: a power of two.
std::int64_t widest_access(const std::vector<ElementType>& elements);

/// The widest access, at most `width` elements, that divides all `counts`.
std::int64_t even_width(std::int64_t width, const std::vector<std::int64_t>& counts);

/// Throws a run Error when a count does not fit into a kernel's 32-bit positions.
void require_int(std::int64_t count);

}  // namespace stashscope::cuda
