#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/graph/attributes.h"

namespace stashscope {

/// Output 1 of an attention function holds the logarithms of the softmax's sums. This is its shape.
enum class AtenSums : std::uint8_t {
  unknown,
  of_rows,         ///< [leading..., rows]
  of_padded_rows,  ///< the rows are padded to a multiple of 32
};

/// A function of ATen that computes a whole attention: its name, and the positions of the inputs
/// that follow queries, keys and values. (PyTorch, native_functions.yaml)
struct AtenAttentionFunction {
  std::string_view name;
  std::optional<std::size_t> mask;  ///< nothing: it takes no mask
  std::size_t dropout;
  std::size_t causal;
  std::size_t scale;
  AtenSums sums;
};

/// The attention that the attribute `operator` of a node ATen names; null if it names another
/// function.
const AtenAttentionFunction* aten_attention_function(const Attributes& attributes);

}  // namespace stashscope
