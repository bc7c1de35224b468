#pragma once

#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/run/cuda/codegen/lowering.h"

namespace stashscope::cuda {

/// A kernel call under construction. The functions that return the text of a pointer also add a
/// kernel parameter for the operand, unless the operand is left out.
class CallText {
 public:
  /// The text of a pointer to the elements of an operand that the kernel reads (writes); a null
  /// pointer if the operand is left out.
  std::string reads(const OperandType& type, Operand operand);
  std::string writes(const OperandType& type, Operand operand);

  /// The text of a pointer to the elements of an input (output) of a node; a null pointer if the
  /// input (output) is left out.
  std::string reads(const LoweringContext& context, std::size_t index);
  std::string writes(const LoweringContext& context, std::size_t index = 0);

  /// Adds a parameter of any pointer type and returns its name.
  std::string pointer(const std::string& type, Operand operand);

  /// The call of an entry function that has the parameters added so far.
  /// @param body the statements of the entry function, without the last semicolon
  KernelCall call(const std::string& body, const LaunchShape& shape) const;

 private:
  std::vector<std::pair<std::string, Operand>> parameters_;  ///< declaration and operand
};

/// `NAME<A, B, ...>`
std::string with_arguments(const std::string& name, const std::vector<std::string>& arguments);

/// The texts of template arguments, made from texts, lists of texts, integers and flags.
template <class... Items>
std::vector<std::string> arguments_of(const Items&... items);

/// `NAME<A, B, ...>(X, Y, ...)`
std::string invocation(const std::string& name, const std::vector<std::string>& arguments,
                       const std::vector<std::string>& operands);

/// The kernels' C++ type of `compute_element`.
std::string compute_type(ElementType element);

/// The type of the accumulator of a long sum: the compute type, but a 64-bit integer for integers
/// and booleans.
std::string sum_type(ElementType element);

/// The text of the element type of `type`; float if the operand is left out, because null pointers
/// need a type too.
std::string type_or_float(const OperandType& type);

/// The number of elements that fit into a 16-byte access for every type in `elements`: a power of
/// two.
std::int64_t widest_access(const std::vector<ElementType>& elements);

/// The largest number of elements per access, at most `width`, that divides all `counts`. `width`
/// and the result are powers of two.
std::int64_t even_width(std::int64_t width, const std::vector<std::int64_t>& counts);

/// Throws a run Error if `count` is over 2^30 - 1, so that a kernel's positions fit into 32 bits.
void require_int(std::int64_t count);

template <class... Items>
std::vector<std::string> arguments_of(const Items&... items) {
  std::vector<std::string> list;
  const auto append = [&list](const auto& item) {
    using Item = std::decay_t<decltype(item)>;
    if constexpr (std::is_same_v<Item, std::vector<std::string>>) {
      list.insert(list.end(), item.begin(), item.end());
    } else if constexpr (std::is_same_v<Item, bool>) {
      list.emplace_back(item ? "true" : "false");
    } else if constexpr (std::is_integral_v<Item>) {
      list.push_back(std::to_string(item));
    } else {
      list.emplace_back(item);
    }
  };
  (append(items), ...);
  return list;
}

}  // namespace stashscope::cuda
