#pragma once

#include <string>
#include <vector>

#include "core/graph/attributes.h"

namespace stashscope {

/// An Einsum equation with one character per axis: the letters as written, and control characters
/// for the axes of `...`.
struct EinsumEquation {
  std::vector<std::string> operands;
  std::string result;
};

/// Reads attribute `equation` for operands of `ranks`. Throws an input Error when the equation does
/// not match the ranks. (ONNX, Einsum; numpy.einsum)
EinsumEquation read_einsum(const Attributes& attributes, const std::vector<std::size_t>& ranks);

}  // namespace stashscope
