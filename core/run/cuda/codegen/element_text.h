#pragma once

#include <cstdint>
#include <string>

#include "core/graph/element_type.h"

namespace stashscope::cuda {

/// The kernels' C++ type in which elements are stored; booleans are bytes. Throws a run Error for
/// types that no kernel supports.
std::string device_type(ElementType element);

/// A device type that has `bytes` (1, 2, 4, 8 or 16) bytes, for kernels that only move elements.
std::string moved_type(std::int64_t bytes);

/// The element type in which kernels compute: float32 for shorter floats, else `element`.
ElementType compute_element(ElementType element);

/// Bytes of one element. Throws a run Error for types of less than 8 bits.
std::int64_t element_bytes(ElementType element);

/// A CUDA C++ expression for a float, exact to the last bit.
std::string float_text(float value);

/// A CUDA C++ expression for a double, exact to the last bit; every NaN becomes the quiet NaN.
std::string number_text(double number);

/// CUDA C++ expressions for a dropout whose random numbers depend only on the seed and the position
/// of the element, as on the CPU.
struct DropoutTexts {
  std::string random;     ///< a PositionalRandom (kernels/random.cuh)
  std::string threshold;  ///< the threshold for PositionalRandom::keeps; the comparison is exact,
                          ///< because random numbers are multiples of 2^-53
  std::string scale;      ///< the factor of the kept elements, a double
};

/// @param share of the elements that are dropped; 0 drops nothing
DropoutTexts dropout_texts(std::uint64_t seed, double share);

}  // namespace stashscope::cuda
