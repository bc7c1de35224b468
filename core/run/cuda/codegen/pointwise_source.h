#pragma once

#include <string>
#include <vector>

#include "core/run/cuda/codegen/lowering.h"

namespace stashscope::cuda {

/// How many elements each thread of a pointwise kernel works on, one behind the other.
struct PointwiseShape {
  std::int64_t elements = 0;
  std::int64_t width = 1;

  std::int64_t packs() const { return (elements + width - 1) / width; }
  bool is_even() const { return elements % width == 0; }
  /// Whether positions fit into 32 bits.
  bool is_narrow() const { return elements < 0xFFFF0000; }
  const char* index_type() const { return is_narrow() ? "UInt32" : "UInt64"; }
};

/// What a pointwise kernel reads from memory, as text that makes packs of its elements.
class PointwiseSource {
 public:
  /// @param name of the pointer @param variable of an element
  /// @param result dims that the operand is broadcast to
  PointwiseSource(Operand operand, OperandType type, const std::vector<std::int64_t>& result,
                  std::string name, std::string variable);

  const Operand& operand() const { return operand_; }
  bool is_full() const { return is_full_; }
  std::int64_t element_bytes() const;
  std::string parameter() const;
  /// Reads what a thread needs; `first` is the position of its first element, `count` how many it
  /// has.
  std::string read(const PointwiseShape& shape) const;
  /// Element `k` of these.
  std::string element() const;

 private:
  struct Axis {
    std::int64_t size;
    std::int64_t stride;
  };
  /// How the elements of a thread lie in memory.
  enum class Reading { full, same, row, apart };

  void add_axis(Axis axis);
  Reading reading(const PointwiseShape& shape) const;
  /// Where the element at `position` lies.
  std::string offset(const std::string& position) const;

  Operand operand_;
  OperandType type_;
  std::string name_;
  std::string variable_;
  bool is_full_;
  std::vector<Axis> axes_;  ///< of the result, as few as possible, outermost first
};

}  // namespace stashscope::cuda
