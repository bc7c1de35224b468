// Activations with a learned slope or a gate.

#include "core/ops/families/families.h"
#include "core/ops/rules/rules.h"

namespace stashscope {

namespace {

void give_product(GradientContext& g, std::size_t input, ValueId slope) {
  g.give_broadcast(input, g.add("Mul", {g.gradient(), slope}));
}

ValueId is_negative(GradientContext& g, ValueId x) {
  return g.add("Less", {x, g.scalar_like(x, 0)});
}

/// slope * x where x < 0, else x; the slope broadcasts to x.
void infer_prelu(ShapeContext& context) {
  context.require_same_element(0, 1);
  context.set_like_input(0, 0);
  if (context.version() >= 7) return context.require_broadcastable(1, context.shape(0));
  const auto slopes = element_count(context.type(1));
  if (slopes && !slopes->is(1)) {
    context.require_length(1, context.dim(0, 1), "the number of slopes and the number of channels");
  }
}

void prelu_gradient(GradientContext& g) {
  const ValueId negative = is_negative(g, g.input(0));
  if (g.wants(0)) {
    const ValueId one = g.scalar_like(g.input(0), 1);
    give_product(g, 0, g.add("Where", {negative, g.input(1), one}));
  }
  if (!g.wants(1)) return;
  const ValueId zero = g.scalar_like(g.input(0), 0);
  give_product(g, 1, g.add("Where", {negative, g.input(0), zero}));
}

/// The derivative is s + alpha * y * (1 - s), where s is the sigmoid of alpha * x and y = x * s.
ValueId swish_slope(GradientContext& g, ValueId x, double alpha) {
  const ValueId factor = g.scalar_like(x, alpha);
  const ValueId gate = g.add("Sigmoid", {g.add("Mul", {x, factor})});
  const ValueId rest = g.add("Sub", {g.scalar_like(x, 1), gate});
  const ValueId bend = g.add("Mul", {g.add("Mul", {x, factor}), rest});
  return g.add("Mul", {gate, g.add("Add", {bend, g.scalar_like(x, 1)})});
}

double alpha_of(const GradientContext& g) { return double{g.attributes().real("alpha", 1.0F)}; }

void swish_gradient(GradientContext& g) {
  give_product(g, 0, swish_slope(g, g.input(0), alpha_of(g)));
}

/// (a, b): swish(a) * b
void infer_swiglu(ShapeContext& context) {
  infer_like_first_input(context);
  context.require_same_element(0, 1);
  if (!context.has_shape(0) || !context.has_shape(1)) return;
  if (context.rank(0) != context.rank(1)) context.fail("its inputs have different ranks");
  for (std::int64_t axis = 0; axis < context.rank(0); ++axis) {
    context.require_dim(context.dim(0, axis), context.dim(1, axis), "the dims of its inputs");
  }
}

void swiglu_gradient(GradientContext& g) {
  const double alpha = alpha_of(g);
  if (g.wants(0)) {
    const ValueId slope = swish_slope(g, g.input(0), alpha);
    g.give(0, g.add("Mul", {g.gradient(), g.add("Mul", {g.input(1), slope})}));
  }
  if (!g.wants(1)) return;
  const ValueId swish = g.add("Swish", {g.input(0)}, {{"alpha", static_cast<float>(alpha)}});
  g.give(1, g.add("Mul", {g.gradient(), swish}));
}

/// Shrink sets elements in the band [-lambd, lambd] to 0. The derivative is 0 there, else 1.
void shrink_gradient(GradientContext& g) {
  const double band = double{g.attributes().real("lambd", 0.5F)};
  const ValueId size = g.add("Abs", {g.input(0)});
  const ValueId outside = g.add("Greater", {size, g.scalar_like(g.input(0), band)});
  give_product(g, 0, g.cast(outside, g.type(g.input(0)).element));
}

Op activation(std::string type, std::vector<std::int64_t> versions, const char* operands,
              void (*infer)(ShapeContext&), void (*gradient)(GradientContext&),
              double (*flops)(const CostContext&)) {
  return {.type = std::move(type),
          .versions = std::move(versions),
          .operands = operands,
          .infer = infer,
          .gradient = gradient,
          .flops = flops,
          .in_place = {{0, 0}}};
}

}  // namespace

void add_gated_activation_ops(OpRegistry& registry) {
  registry.add(activation("PRelu", {1, 6, 7, 9, 16}, "X:number slope=X -> Y", infer_prelu,
                          prelu_gradient, flops_per_element<2>));
  registry.add(activation("Swish", {24}, "X:float -> Y", infer_like_first_input, swish_gradient,
                          flops_per_element<5>));
  registry.add(activation("SwiGLU", {27}, "A:float B=A -> Y", infer_swiglu, swiglu_gradient,
                          flops_per_element<6>));
  registry.add(activation("Shrink", {9}, "X:number -> Y", infer_like_first_input, shrink_gradient,
                          flops_per_element<2>));
}

}  // namespace stashscope
