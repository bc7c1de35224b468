#pragma once

#include "core/run/cpu/primitives/shared_names.h"
#include "core/run/shared/numbers.h"
#include "core/run/shared/walk.h"

namespace stashscope::cpu {

/// Converts a negative index, which counts from the end, to a position. Throws a run Error if the
/// index is outside of `size` elements.
std::int64_t wrapped(std::int64_t index, std::int64_t size);
std::vector<std::int64_t> wrapped_indices(const TensorView& indices, std::int64_t size);

/// out[outer, i, inner] = data[outer, indices[i], inner]. @param split the data, split at the axis
/// that `indices` refer to
void gather_rows(const TensorView& data, const AxisSplit& split,
                 const std::vector<std::int64_t>& indices, const TensorView& out);

/// Adds the rows of dy [outer, indices, inner] to the rows of `sums` [outer, size, inner] that
/// `indices` select, in the order of the indices.
template <class C>
void add_rows(const C* dy, const AxisSplit& split, const std::vector<std::int64_t>& indices,
              C* sums) {
  for (std::int64_t outer = 0; outer < split.outer; ++outer) {
    for (const std::int64_t index : indices) {
      C* const to = sums + (outer * split.size + index) * split.inner;
      for (std::int64_t i = 0; i < split.inner; ++i) to[i] += dy[i];
      dy += split.inner;
    }
  }
}

/// Calls `body(dy, dx)` with the elements converted to the type in which sums are computed; dx is
/// initialized with 0.
template <class Body>
void accumulate(const TensorView& dy, const TensorView& dx, Body body) {
  const auto start = [&](auto* sums, const auto* gradient) {
    std::fill_n(sums, dx.elements(), 0);
    body(gradient, sums);
  };
  compute_real(dx, start, dy);
}

}  // namespace stashscope::cpu
