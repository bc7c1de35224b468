#pragma once

#include <vector>

#include "core/run/cpu/primitives/shared_names.h"

namespace stashscope::cpu {

/// The range of an integer type.
struct IntegerLimits {
  double least;
  double greatest;
};
IntegerLimits integer_limits(ElementType element);

/// (items - zero point) * scale. Scale and zero point may be absent (then 1 and 0), single numbers,
/// one number per position along `axis`, or tensors that broadcast to the items.
std::vector<double> real_numbers(const TensorView& items, const TensorView& scale,
                                 const TensorView& zero_point, std::int64_t axis);

/// Stores saturate(round(number / scale) + zero point), ties to even, in an integer tensor.
void store_quantized(const std::vector<double>& numbers, const TensorView& scale,
                     const TensorView& zero_point, const TensorView& out);

}  // namespace stashscope::cpu
