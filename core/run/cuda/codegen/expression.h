#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "core/run/cuda/codegen/call_text.h"
#include "core/run/cuda/codegen/element_text.h"
#include "core/run/cuda/codegen/lowering.h"

namespace stashscope::cuda {

/// Text as a template argument.
template <std::size_t size>
struct FixedText {
  char characters[size] = {};

  consteval FixedText(const char (&text)[size]) {  // NOLINT: text converts
    std::copy_n(text, size, characters);
  }
};

/// `function(a, b, ...)` without the operands that are left out.
std::string call_text(const std::string& function, const std::vector<std::string>& operands);

/// Calls a function of kernels/pointwise.cuh, or of CUDA, with all operands.
template <FixedText function>
std::string call(const LoweringContext&, const std::vector<std::string>& operands) {
  return call_text(function.characters, operands);
}

/// One operator between two operands.
template <FixedText sign>
std::string infix(const LoweringContext&, const std::vector<std::string>& operands) {
  return operands[0] + " " + sign.characters + " " + operands[1];
}

/// An attribute as a double literal.
inline std::string attribute_text(const LoweringContext& context, const char* name,
                                  float otherwise) {
  return number_text(double{context.attributes().real(name, otherwise)});
}

}  // namespace stashscope::cuda
