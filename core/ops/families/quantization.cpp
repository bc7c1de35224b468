// Conversions between real numbers and integers with a scale and a zero point.

#include "core/ops/families/families.h"
#include "core/ops/rules/rules.h"

namespace stashscope {

namespace {

ElementType chosen_type(const ShapeContext& context, ElementType otherwise) {
  return element_attribute(context.attributes(), "output_dtype", otherwise);
}

/// (x, scale, [zero point]) -> y, in the type of the zero point. Without a zero point, the
/// attribute `output_dtype` sets the type.
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
                .operands = "x:float|int32 y_scale:float|int32|float8e8m0 y_zero_point? -> y",
                .infer = infer_quantize,
                .stops_gradients = true,
                .flops = flops_per_element<3>});
  registry.add({.type = "DequantizeLinear",
                .versions = {10, 13, 19, 21, 23, 24, 25},
                .operands = "x x_scale:float|float8e8m0 x_zero_point?=x -> y",
                .infer = infer_dequantize,
                .flops = flops_per_element<2>});
  registry.add({.type = "DynamicQuantizeLinear",
                .versions = {11},
                .operands = "x:float32 -> y y_scale y_zero_point",
                .infer = infer_dynamic_quantize,
                .stops_gradients = true,
                .flops = flops_per_element<5>});
}

}  // namespace stashscope
