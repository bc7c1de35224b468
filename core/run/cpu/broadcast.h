#pragma once

#include <array>
#include <vector>

#include "core/run/cpu/dispatch.h"

namespace stashscope::cpu {

/// Walks the elements of a broadcast result in row-major order together with the offsets of up to
/// `Operands` inputs. Axes that all operands walk alike are merged, so the inner loop is long.
template <std::size_t Operands>
class BroadcastWalk {
 public:
  BroadcastWalk(const std::vector<std::int64_t>& result,
                const std::array<const std::vector<std::int64_t>*, Operands>& operands) {
    std::array<std::vector<std::int64_t>, Operands> strides;
    for (std::size_t k = 0; k < Operands; ++k) strides[k] = strides_in(result, *operands[k]);
    for (std::size_t axis = 0; axis < result.size(); ++axis) {
      if (result[axis] == 1) continue;
      std::array<std::int64_t, Operands> step{};
      for (std::size_t k = 0; k < Operands; ++k) step[k] = strides[k][axis];
      append(result[axis], step);
    }
    if (sizes_.empty()) append(1, {});
  }

  /// `body(output offset, input offsets, count, input steps)` for each run along the innermost
  /// axis.
  template <class Body>
  void for_each_run(Body body) const {
    const std::size_t inner = sizes_.size() - 1;
    std::vector<std::int64_t> index(sizes_.size(), 0);
    std::array<std::int64_t, Operands> offset{};
    std::int64_t output = 0;
    for (const std::int64_t size : sizes_) {
      if (size == 0) return;
    }
    while (true) {
      body(output, offset, sizes_[inner], steps_[inner]);
      output += sizes_[inner];
      std::size_t axis = inner;
      while (true) {
        if (axis == 0) return;
        --axis;
        for (std::size_t k = 0; k < Operands; ++k) offset[k] += steps_[axis][k];
        if (++index[axis] < sizes_[axis]) break;
        for (std::size_t k = 0; k < Operands; ++k) offset[k] -= steps_[axis][k] * sizes_[axis];
        index[axis] = 0;
      }
    }
  }

 private:
  /// Strides of an operand along the axes of the result; 0 where it is broadcast.
  static std::vector<std::int64_t> strides_in(const std::vector<std::int64_t>& result,
                                              const std::vector<std::int64_t>& dims) {
    std::vector<std::int64_t> strides(result.size(), 0);
    std::int64_t stride = 1;
    for (std::size_t i = 0; i < dims.size(); ++i) {
      const std::size_t from_end = dims.size() - 1 - i;
      if (dims[from_end] != 1) strides[result.size() - 1 - i] = stride;
      stride *= dims[from_end];
    }
    return strides;
  }

  /// Adds an axis inside of the last one, merged with it when every operand moves on evenly.
  void append(std::int64_t size, const std::array<std::int64_t, Operands>& step) {
    if (!sizes_.empty()) {
      bool even = true;
      for (std::size_t k = 0; k < Operands; ++k) {
        even = even && steps_.back()[k] == step[k] * size;
      }
      if (even) {
        sizes_.back() *= size;
        steps_.back() = step;
        return;
      }
    }
    sizes_.push_back(size);
    steps_.push_back(step);
  }

  std::vector<std::int64_t> sizes_;
  std::vector<std::array<std::int64_t, Operands>> steps_;
};

/// out[i] = apply(a[i], b[i]) with broadcasting; T in, U out.
template <class T, class U, class Apply>
void broadcast_binary(const TensorView& a, const TensorView& b, const TensorView& out,
                      Apply apply) {
  const T* const left = a.as<T>().data();
  const T* const right = b.as<T>().data();
  U* const result = out.as<U>().data();
  const BroadcastWalk<2> walk(out.dims, {&a.dims, &b.dims});
  walk.for_each_run([&](std::int64_t at, const auto& offset, std::int64_t count, const auto& step) {
    for (std::int64_t i = 0; i < count; ++i) {
      result[at + i] =
          static_cast<U>(apply(static_cast<Compute<T>>(left[offset[0] + i * step[0]]),
                               static_cast<Compute<T>>(right[offset[1] + i * step[1]])));
    }
  });
}

}  // namespace stashscope::cpu
