#pragma once

#include "core/run/cpu/primitives/shared_names.h"

namespace stashscope::cpu {

/// Elements of a tensor that lie `strides` apart; offset and strides count elements.
struct StridedPlace {
  std::byte* data = nullptr;
  std::vector<std::int64_t> strides;
  std::int64_t offset = 0;
};

/// All elements of a dense tensor.
StridedPlace whole(const TensorView& tensor);

/// Copies a box of `sizes` elements of type `element`; source and target do not overlap.
void copy_strided(ElementType element, const std::vector<std::int64_t>& sizes,
                  const StridedPlace& from, const StridedPlace& to);

/// Sets all bytes to 0.
void fill_zero(const TensorView& tensor);

/// Copies all elements, unless both tensors share their memory.
void copy_all(const TensorView& from, const TensorView& to);

}  // namespace stashscope::cpu
