#pragma once

#include <vector>

#include "core/run/cpu/primitives/shared_names.h"

namespace stashscope::cpu {

/// Whether elements are floats of at most 8 bits or integers of at most 4 bits. Kernels only
/// convert from and to these types; no kernel computes in them.
bool is_small_number(ElementType element);

/// Options of a conversion to a small float. Numbers are rounded to the nearest, ties to even,
/// except for float8e8m0.
struct SmallRounding {
  /// Whether overflow gives the largest number. If false, overflow gives infinity, or NaN if the
  /// type has no infinity. Types without NaN always saturate.
  bool saturates = true;
  std::string exponents = "up";  ///< how float8e8m0 rounds: `up`, `down` or `nearest`
};

/// The elements of a tensor of small numbers. (ONNX, "Float stored in 8 bits" and "4 bit integer
/// types")
std::vector<double> small_numbers(const TensorView& tensor);

/// The elements of any tensor of numbers, rounded to float64.
std::vector<double> all_numbers(const TensorView& tensor);

/// The lowest 8 bits of the elements of a tensor of integers of at least 8 bits. A conversion to a
/// small integer needs no other bits, and float64 would round integers beyond 2^53.
std::vector<double> lowest_bits(const TensorView& tensor);

/// Converts `numbers` into the small element type of `tensor`; integers keep their lowest bits.
void store_small_numbers(const std::vector<double>& numbers, const SmallRounding& rounding,
                         const TensorView& tensor);

}  // namespace stashscope::cpu
