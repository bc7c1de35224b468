#pragma once

#include <string>
#include <vector>

#include "core/run/cuda/codegen/lowering.h"

namespace stashscope::cuda {

/// The number of elements that a pointwise kernel computes; each thread computes `width`
/// consecutive elements.
struct PointwiseShape {
  std::int64_t elements = 0;
  std::int64_t width = 1;

  std::int64_t packs() const { return (elements + width - 1) / width; }
  bool is_even() const { return elements % width == 0; }
  /// Whether positions fit into 32 bits.
  bool is_narrow() const { return elements < 0xFFFF0000; }
  const char* index_type() const { return is_narrow() ? "UInt32" : "UInt64"; }
};

/// Writes the text with which a pointwise kernel reads an operand from memory in packs of elements.
class PointwiseSource {
 public:
  /// @param result dims to which the operand is broadcast
  /// @param name the pointer's name
  /// @param variable the name of the variable that holds an element
  PointwiseSource(Operand operand, OperandType type, const std::vector<std::int64_t>& result,
                  std::string name, std::string variable);

  const Operand& operand() const { return operand_; }
  bool is_full() const { return is_full_; }
  std::int64_t element_bytes() const;
  std::string parameter() const;
  /// The statement that reads a thread's elements. In the text, `first` is the position of the
  /// first element and `count` is the number of elements.
  std::string read(const PointwiseShape& shape) const;
  /// The statement that declares the variable and assigns element `k` of the thread's elements.
  std::string element() const;

 private:
  struct Axis {
    std::int64_t size;
    std::int64_t stride;
  };
  /// How the elements that one thread reads lie in memory: as in the result (`full`), all in one
  /// place (`same`), adjacent (`row`), or each at its own offset (`apart`).
  enum class Reading { full, same, row, apart };

  void add_axis(Axis axis);
  Reading reading(const PointwiseShape& shape) const;
  /// An expression for the offset of the operand's element at `position` of the result.
  std::string offset(const std::string& position) const;

  Operand operand_;
  OperandType type_;
  std::string name_;
  std::string variable_;
  bool is_full_;
  std::vector<Axis> axes_;  ///< axes of the result, merged where possible, outermost first
};

}  // namespace stashscope::cuda
