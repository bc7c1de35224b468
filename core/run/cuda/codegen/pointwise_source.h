#pragma once

#include <string>
#include <vector>

#include "core/run/cuda/codegen/lowering.h"

namespace stashscope::cuda {

/// The elements of a pointwise kernel; each thread processes `width` consecutive ones.
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
  /// @param name of the pointer @param variable that holds an element
  /// @param result dims that the operand is broadcast to
  PointwiseSource(Operand operand, OperandType type, const std::vector<std::int64_t>& result,
                  std::string name, std::string variable);

  const Operand& operand() const { return operand_; }
  bool is_full() const { return is_full_; }
  std::int64_t element_bytes() const;
  std::string parameter() const;
  /// The statement that reads a thread's elements. In the text, `first` is the position of the
  /// first element and `count` their number.
  std::string read(const PointwiseShape& shape) const;
  /// The statement that assigns element `k` of the elements read to the variable.
  std::string element() const;

 private:
  struct Axis {
    std::int64_t size;
    std::int64_t stride;
  };
  /// How the elements that one thread reads lie in memory.
  enum class Reading { full, same, row, apart };

  void add_axis(Axis axis);
  Reading reading(const PointwiseShape& shape) const;
  /// The offset of the element at `position`.
  std::string offset(const std::string& position) const;

  Operand operand_;
  OperandType type_;
  std::string name_;
  std::string variable_;
  bool is_full_;
  std::vector<Axis> axes_;  ///< of the result, merged where possible, outermost first
};

}  // namespace stashscope::cuda
