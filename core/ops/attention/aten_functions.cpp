#include "core/ops/attention/aten_functions.h"

#include <algorithm>
#include <array>
#include <string>

namespace stashscope {

namespace {

constexpr std::array attention_functions = {
    AtenAttentionFunction{"scaled_dot_product_attention", 3, 4, 5, 6, AtenSums::unknown},
    AtenAttentionFunction{"_scaled_dot_product_efficient_attention", 3, 5, 6, 7,
                          AtenSums::of_padded_rows},
    AtenAttentionFunction{"_scaled_dot_product_flash_attention", std::nullopt, 3, 4, 6,
                          AtenSums::of_rows},
    AtenAttentionFunction{"_scaled_dot_product_cudnn_attention", 3, 5, 6, 8, AtenSums::unknown},
};

}  // namespace

const AtenAttentionFunction* aten_attention_function(const Attributes& attributes) {
  const std::string name = attributes.text("operator", "");
  const auto* const found =
      std::ranges::find(attention_functions, name, &AtenAttentionFunction::name);
  return found == attention_functions.end() ? nullptr : found;
}

}  // namespace stashscope
