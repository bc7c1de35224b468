#pragma once

#include <vector>

#include "core/run/cpu/primitives/shared_names.h"

namespace stashscope::cpu {

/// Whether elements are floats of 8 bits and less or integers of 4 and less. Kernels do not compute
/// in these types; they are converted to and from only.
bool is_small_number(ElementType element);

/// What a conversion to a small float does beside rounding to the nearest, ties to even.
struct SmallRounding {
  bool saturates = true;  ///< what is too large becomes the largest number, not infinity or NaN
  std::string exponents = "up";  ///< how float8e8m0 rounds: `up`, `down` or `nearest`
};

/// The elements of a tensor of small numbers. (ONNX, "Float stored in 8 bits" and "4 bit integer
/// types")
std::vector<double> small_numbers(const TensorView& tensor);

/// The elements of any tensor of numbers; whole numbers beyond 2^53 keep their lowest bits only.
std::vector<double> all_numbers(const TensorView& tensor);

/// Converts `numbers` into the small element type of `tensor`; integers keep their lowest bits.
void store_small_numbers(const std::vector<double>& numbers, const SmallRounding& rounding,
                         const TensorView& tensor);

}  // namespace stashscope::cpu
