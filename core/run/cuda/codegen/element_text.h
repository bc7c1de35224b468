#pragma once

#include <string>

#include "core/graph/element_type.h"

namespace stashscope::cuda {

/// The type of kernels/prelude.cuh in which elements are stored; booleans are bytes. Throws a run
/// Error for types that no kernel supports.
std::string device_type(ElementType element);

/// A device type that has `bytes` (1, 2, 4, 8 or 16) bytes, for kernels that only move elements.
std::string moved_type(std::int64_t bytes);

/// Bytes of one element. Throws a run Error for types packed more densely than bytes.
std::int64_t element_bytes(ElementType element);

/// A float as a literal, with all its bits.
std::string float_text(float value);

/// A double as a literal, exact to the last bit.
std::string number_text(double number);

}  // namespace stashscope::cuda
