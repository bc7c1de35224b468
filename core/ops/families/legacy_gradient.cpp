// Gradient operators that early training graphs have in the default domain.

#include "core/ops/families/families.h"
#include "core/ops/rules/rules.h"

namespace stashscope {

namespace {

/// (x, gradient of the reshaped x) -> gradient of x
void infer_reshape_grad(ShapeContext& context) {
  context.set(0, context.element(1), context.shape(0));
}

/// (gradient, a, b) -> gradients of a and b; unwanted gradients are omitted
void infer_div_grad(ShapeContext& context) {
  for (const std::size_t side : {0U, 1U}) {
    if (context.has_output(side)) context.set_like_input(side, side + 1);
  }
}

Op gradient_op(std::string type, void (*infer)(ShapeContext&),
               double (*flops)(const CostContext&)) {
  return {.type = std::move(type), .versions = {9}, .infer = infer, .flops = flops};
}

}  // namespace

void add_legacy_gradient_ops(OpRegistry& registry) {
  registry.add(gradient_op("ReshapeGrad", infer_reshape_grad, no_flops));
  registry.add(gradient_op("DivGrad", infer_div_grad, flops_per_input_element<5>));
  registry.add(gradient_op("TanhGrad", infer_like_first_input, flops_per_element<3>));
}

}  // namespace stashscope
