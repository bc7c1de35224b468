#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "core/run/cuda/codegen/call_text.h"
#include "core/run/cuda/codegen/element_text.h"
#include "core/run/cuda/codegen/lowering.h"

namespace stashscope::cuda {

/// A text that can be a template argument.
template <std::size_t size>
struct FixedText {
  char characters[size] = {};

  consteval FixedText(const char (&text)[size]) {  // NOLINT: implicit on purpose
    std::copy_n(text, size, characters);
  }
};

/// `function(a, b, ...)` with all operands whose text is not empty.
std::string call_text(const std::string& function, const std::vector<std::string>& operands);

/// The text of a call with all operands that are present. The function is one of
/// kernels/pointwise.cuh or of CUDA.
template <FixedText function>
std::string call(const LoweringContext&, const std::vector<std::string>& operands) {
  return call_text(function.characters, operands);
}

/// The text of two operands with the operator `sign` between them.
template <FixedText sign>
std::string infix(const LoweringContext&, const std::vector<std::string>& operands) {
  return operands[0] + " " + sign.characters + " " + operands[1];
}

/// An expression of type double for a real attribute, or for `otherwise` if the node lacks the
/// attribute.
inline std::string attribute_text(const LoweringContext& context, const char* name,
                                  float otherwise) {
  return number_text(double{context.attributes().real(name, otherwise)});
}

}  // namespace stashscope::cuda
