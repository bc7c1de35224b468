#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace stashscope::kernels {

/// `axis` as an index; a negative axis counts from the end.
inline std::size_t axis_in(std::int64_t axis, std::int64_t rank) {
  return static_cast<std::size_t>(axis < 0 ? axis + rank : axis);
}

/// Row-major strides of a tensor of `dims`, in elements.
std::vector<std::int64_t> dense_strides(std::span<const std::int64_t> dims);

/// Strides of an operand of `dims` that is broadcast to `result`, one per axis of the result: 0
/// where the operand repeats. (ONNX, Broadcasting.md)
std::vector<std::int64_t> broadcast_strides(std::span<const std::int64_t> result,
                                            std::span<const std::int64_t> dims);

/// Visits the positions of a box of `sizes` in row-major order and computes the offset in each of
/// `Operands` tensors. Each tensor has its own strides (in elements; 0 repeats an element, a
/// negative stride runs backwards). Adjacent axes are merged where one stride per tensor covers
/// both, so that runs are long.
template <std::size_t Operands>
class StridedWalk {
 public:
  using Offsets = std::array<std::int64_t, Operands>;

  StridedWalk(std::span<const std::int64_t> sizes,
              const std::array<std::vector<std::int64_t>, Operands>& strides) {
    for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
      if (sizes[axis] == 1) continue;
      Offsets step{};
      for (std::size_t k = 0; k < Operands; ++k) step[k] = strides[k][axis];
      append(sizes[axis], step);
    }
    if (sizes_.empty()) append(1, {});
  }

  /// Calls `body(offsets, count, steps)` for each run of `count` positions along the innermost
  /// axis.
  template <class Body>
  void for_each_run(Body body) const {
    for (const std::int64_t size : sizes_) {
      if (size == 0) return;
    }
    const std::size_t inner = sizes_.size() - 1;
    std::vector<std::int64_t> index(sizes_.size(), 0);
    Offsets offsets{};
    do {
      body(offsets, sizes_[inner], steps_[inner]);
    } while (advance(index, offsets));
  }

 private:
  /// Advances to the next run. Returns false after the last run.
  bool advance(std::vector<std::int64_t>& index, Offsets& offsets) const {
    for (std::size_t axis = sizes_.size() - 1; axis-- > 0;) {
      for (std::size_t k = 0; k < Operands; ++k) offsets[k] += steps_[axis][k];
      if (++index[axis] < sizes_[axis]) return true;
      for (std::size_t k = 0; k < Operands; ++k) offsets[k] -= steps_[axis][k] * sizes_[axis];
      index[axis] = 0;
    }
    return false;
  }

  /// Adds an innermost axis. Merges this axis with the previous axis if one stride per operand
  /// covers both.
  void append(std::int64_t size, const Offsets& step) {
    bool even = !sizes_.empty();
    for (std::size_t k = 0; even && k < Operands; ++k) even = steps_.back()[k] == step[k] * size;
    if (even) {
      sizes_.back() *= size;
      steps_.back() = step;
    } else {
      sizes_.push_back(size);
      steps_.push_back(step);
    }
  }

  std::vector<std::int64_t> sizes_;
  std::vector<Offsets> steps_;
};

/// A tensor seen as [outer, size, inner]: the product of the sizes before an axis, the size of the
/// axis, and the product of the sizes after it.
struct AxisSplit {
  std::int64_t outer = 1;
  std::int64_t size = 1;
  std::int64_t inner = 1;
};

/// @param axis counts from the end when negative
AxisSplit split_at(std::span<const std::int64_t> dims, std::int64_t axis);

}  // namespace stashscope::kernels
