// Conversions between real numbers and integers with a scale and a zero point.

#include "core/ops/families/families.h"
#include "core/ops/rules/rules.h"

namespace stashscope {

namespace {

ElementType chosen_type(const ShapeContext& context, ElementType otherwise) {
  const std::int64_t chosen = context.attributes().integer("output_dtype", 0);
  return is_known_element_type(static_cast<int>(chosen)) ? static_cast<ElementType>(chosen)
                                                         : otherwise;
}

/// (x, scale, [zero point]); the zero point or the attribute sets the type.
void infer_quantize(ShapeContext& context) {
  context.set(0,
              context.has_input(2) ? context.element(2) : chosen_type(context, ElementType::uint8),
              context.shape(0));
}

void infer_dequantize(ShapeContext& context) {
  context.set(0, chosen_type(context, context.element(1)), context.shape(0));
}

/// x -> y, its scale and its zero point
void infer_dynamic_quantize(ShapeContext& context) {
  context.set(0, ElementType::uint8, context.shape(0));
  context.set(1, context.element(0), {});
  context.set(2, ElementType::uint8, {});
}

}  // namespace

void add_quantization_ops(OpRegistry& registry) {
  registry.add({.type = "QuantizeLinear",
                .versions = {10, 13, 19, 21, 23, 24, 25},
                .infer = infer_quantize,
                .stops_gradients = true,
                .flops = flops_per_element<3>});
  registry.add({.type = "DequantizeLinear",
                .versions = {10, 13, 19, 21, 23, 24, 25},
                .infer = infer_dequantize,
                .flops = flops_per_element<2>});
  registry.add({.type = "DynamicQuantizeLinear",
                .versions = {11},
                .infer = infer_dynamic_quantize,
                .stops_gradients = true,
                .flops = flops_per_element<5>});
}

}  // namespace stashscope
