#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/graph/graph.h"

namespace stashscope::kernels {

/// Memory of one tensor during a run; contiguous, row-major.
struct TensorView {
  ElementType element = ElementType::undefined;
  std::vector<std::int64_t> dims;
  std::byte* data = nullptr;  ///< null: operand left out, or elements unknown to the host

  bool present() const { return data != nullptr || element != ElementType::undefined; }
  std::int64_t rank() const { return static_cast<std::int64_t>(dims.size()); }
  std::int64_t elements() const { return element_count(dims); }
  /// `axis` may count from the end.
  std::int64_t dim(std::int64_t axis) const {
    return dims[static_cast<std::size_t>(axis < 0 ? axis + rank() : axis)];
  }

  template <class T>
  std::span<T> as() const {
    return {reinterpret_cast<T*>(data), static_cast<std::size_t>(elements())};
  }
};

/// The operands of a kernel. Outputs are allocated with the dims that the operator's shape rule or
/// the kernel's size function gives; an output may share the memory of an input only where the
/// operator's table entry allows it.
struct KernelContext {
  const Node& node;
  std::int64_t version;  ///< since-version of the operator
  std::vector<TensorView> inputs;
  std::vector<TensorView> outputs;  ///< not present() where left out
  std::uint64_t seed;               ///< seed of a random operator

  const Attributes& attributes() const { return node.attributes; }
  bool has_input(std::size_t index) const {
    return index < inputs.size() && inputs[index].present();
  }
  bool has_output(std::size_t index) const {
    return index < outputs.size() && outputs[index].present();
  }
  const TensorView& in(std::size_t index) const { return inputs[index]; }
  const TensorView& out(std::size_t index = 0) const { return outputs[index]; }
};

using KernelFunction = void (*)(const KernelContext&);

/// Computes the dims of all outputs of an operator whose output dims depend on the data, such as
/// NonZero. The context has no outputs yet.
using SizeFunction = std::vector<std::vector<std::int64_t>> (*)(const KernelContext&);

struct Kernel {
  KernelFunction run = nullptr;
  SizeFunction size = nullptr;  ///< null: the operator's shape rule gives the dims
};

/// Kernels by domain and operator type.
class KernelRegistry {
 public:
  void add(std::string_view domain, std::string_view type, Kernel kernel);
  /// Null when the operator has no kernel.
  const Kernel* find(const Node& node) const;

 private:
  std::unordered_map<std::string, Kernel> kernels_;
};

}  // namespace stashscope::kernels
