// Elementwise functions of one input, activations with a bias, and their gradient operators.

#include <cmath>
#include <numbers>

#include "core/ops/families/families.h"
#include "core/ops/rules/rules.h"

namespace stashscope {

namespace {

const std::vector<InPlace> first_input = {{0, 0}};

/// Gives input 0 the output's gradient times `factor`, which is the derivative.
void give_product(GradientContext& g, ValueId factor) {
  g.give(0, g.add("Mul", {g.gradient(), factor}));
}

void neg_gradient(GradientContext& g) { g.give(0, g.add("Neg", {g.gradient()})); }
void abs_gradient(GradientContext& g) { give_product(g, g.add("Sign", {g.input(0)})); }
void exp_gradient(GradientContext& g) { give_product(g, g.output()); }
void log_gradient(GradientContext& g) { g.give(0, g.add("Div", {g.gradient(), g.input(0)})); }
void sin_gradient(GradientContext& g) { give_product(g, g.add("Cos", {g.input(0)})); }
void cos_gradient(GradientContext& g) {
  give_product(g, g.add("Neg", {g.add("Sin", {g.input(0)})}));
}

void sqrt_gradient(GradientContext& g) {
  const ValueId half = g.add("Mul", {g.gradient(), g.scalar_like(g.output(), 0.5)});
  g.give(0, g.add("Div", {half, g.output()}));
}

void reciprocal_gradient(GradientContext& g) {
  give_product(g, g.add("Neg", {g.add("Mul", {g.output(), g.output()})}));
}

/// The derivative is 2/sqrt(pi) * exp(-x^2).
void erf_gradient(GradientContext& g) {
  const ValueId square = g.add("Mul", {g.input(0), g.input(0)});
  const ValueId bell = g.add("Exp", {g.add("Neg", {square})});
  const ValueId scale = g.scalar_like(g.input(0), 2 / std::sqrt(std::numbers::pi));
  give_product(g, g.add("Mul", {bell, scale}));
}

void softplus_gradient(GradientContext& g) { give_product(g, g.add("Sigmoid", {g.input(0)})); }

/// The derivative is alpha where x < 0, else 1.
void leaky_relu_gradient(GradientContext& g) {
  const ValueId negative = g.add("Less", {g.input(0), g.scalar_like(g.input(0), 0)});
  const double alpha = double{g.attributes().real("alpha", 0.01F)};
  const ValueId slope =
      g.add("Where", {negative, g.scalar_like(g.input(0), alpha), g.scalar_like(g.input(0), 1)});
  give_product(g, slope);
}

/// The derivative is y + alpha where x < 0, else 1.
void elu_gradient(GradientContext& g) {
  const double alpha = double{g.attributes().real("alpha", 1.0F)};
  const ValueId negative = g.add("Less", {g.input(0), g.scalar_like(g.input(0), 0)});
  const ValueId curve = g.add("Add", {g.output(), g.scalar_like(g.output(), alpha)});
  give_product(g, g.add("Where", {negative, curve, g.scalar_like(g.input(0), 1)}));
}

/// The derivative of a ramp: `alpha` where 0 < alpha * x + beta < 1, else 0.
ValueId ramp_slope(GradientContext& g, double alpha, double beta) {
  const ValueId line = g.add("Add", {g.add("Mul", {g.input(0), g.scalar_like(g.input(0), alpha)}),
                                     g.scalar_like(g.input(0), beta)});
  const ValueId above = g.add("Greater", {line, g.scalar_like(g.input(0), 0)});
  const ValueId below = g.add("Less", {line, g.scalar_like(g.input(0), 1)});
  const ValueId inside = g.cast(g.add("And", {above, below}), g.type(g.input(0)).element);
  return g.add("Mul", {inside, g.scalar_like(g.input(0), alpha)});
}

void hard_sigmoid_gradient(GradientContext& g) {
  give_product(g, ramp_slope(g, double{g.attributes().real("alpha", 0.2F)},
                             double{g.attributes().real("beta", 0.5F)}));
}

/// HardSwish is x * HardSigmoid(x) with alpha 1/6 and beta 1/2.
void hard_swish_gradient(GradientContext& g) {
  const ValueId gate = g.add("HardSigmoid", {g.input(0)}, {{"alpha", 1.0F / 6}, {"beta", 0.5F}});
  const ValueId slope = g.add("Mul", {g.input(0), ramp_slope(g, 1.0 / 6, 0.5)});
  give_product(g, g.add("Add", {gate, slope}));
}

ValueId square(GradientContext& g, ValueId x) { return g.add("Mul", {x, x}); }
ValueId one(GradientContext& g) { return g.scalar_like(g.input(0), 1); }
ValueId one_plus(GradientContext& g, ValueId x) { return g.add("Add", {x, one(g)}); }
ValueId one_minus(GradientContext& g, ValueId x) { return g.add("Sub", {one(g), x}); }

/// Gives input 0 the output's gradient divided by sqrt(under).
void give_over_root(GradientContext& g, ValueId under) {
  g.give(0, g.add("Div", {g.gradient(), g.add("Sqrt", {under})}));
}

void tan_gradient(GradientContext& g) { give_product(g, one_plus(g, square(g, g.output()))); }
void sinh_gradient(GradientContext& g) { give_product(g, g.add("Cosh", {g.input(0)})); }
void cosh_gradient(GradientContext& g) { give_product(g, g.add("Sinh", {g.input(0)})); }
void asin_gradient(GradientContext& g) { give_over_root(g, one_minus(g, square(g, g.input(0)))); }
void acos_gradient(GradientContext& g) {
  const ValueId root = g.add("Sqrt", {one_minus(g, square(g, g.input(0)))});
  g.give(0, g.add("Neg", {g.add("Div", {g.gradient(), root})}));
}
void asinh_gradient(GradientContext& g) { give_over_root(g, one_plus(g, square(g, g.input(0)))); }
void acosh_gradient(GradientContext& g) {
  const ValueId x = g.input(0);
  give_over_root(g, g.add("Sub", {square(g, x), one(g)}));
}
void atan_gradient(GradientContext& g) {
  g.give(0, g.add("Div", {g.gradient(), one_plus(g, square(g, g.input(0)))}));
}
void atanh_gradient(GradientContext& g) {
  g.give(0, g.add("Div", {g.gradient(), one_minus(g, square(g, g.input(0)))}));
}

/// The derivative is (1 - |y|)^2.
void softsign_gradient(GradientContext& g) {
  give_product(g, square(g, one_minus(g, g.add("Abs", {g.output()}))));
}

/// The derivative is `above` where x exceeds `threshold`, else `below`.
void give_by_threshold(GradientContext& g, double threshold, ValueId below, double above) {
  const ValueId x = g.input(0);
  const ValueId is_above = g.add("Greater", {x, g.scalar_like(x, threshold)});
  give_product(g, g.add("Where", {is_above, g.scalar_like(x, above), below}));
}

void thresholded_relu_gradient(GradientContext& g) {
  const double alpha = double{g.attributes().real("alpha", 1.0F)};
  give_by_threshold(g, alpha, g.scalar_like(g.input(0), 0), 1);
}

/// The derivative for x below 0 is gamma * alpha * exp(x) = y + gamma * alpha.
void selu_gradient(GradientContext& g) {
  const double alpha = double{g.attributes().real("alpha", 1.67326319217681884765625F)};
  const double gamma = double{g.attributes().real("gamma", 1.05070102214813232421875F)};
  const ValueId shift = g.scalar_like(g.output(), alpha * gamma);
  give_by_threshold(g, 0, g.add("Add", {g.output(), shift}), gamma);
}

/// The derivative for x below 0 is exp(x / alpha) = y / alpha + 1.
void celu_gradient(GradientContext& g) {
  const double alpha = double{g.attributes().real("alpha", 1.0F)};
  const ValueId scaled = g.add("Div", {g.output(), g.scalar_like(g.output(), alpha)});
  give_by_threshold(g, 0, one_plus(g, scaled), 1);
}

/// The derivative is t + x * sigmoid(x) * (1 - t^2) with t = tanh(softplus(x)).
void mish_gradient(GradientContext& g) {
  const ValueId x = g.input(0);
  const ValueId t = g.add("Tanh", {g.add("Softplus", {x})});
  const ValueId gated = g.add("Mul", {x, g.add("Sigmoid", {x})});
  const ValueId bend = g.add("Mul", {gated, one_minus(g, square(g, t))});
  give_product(g, g.add("Add", {t, bend}));
}

/// Adds a gradient operator that takes the gradient and the output of the forward node.
template <const char* op_type>
void from_output(GradientContext& g) {
  g.give(0, g.add_microsoft(op_type, {g.gradient(), g.output()}));
}
/// Adds a gradient operator that takes the gradient and the input of the forward node.
template <const char* op_type>
void from_input(GradientContext& g) {
  g.give(0, g.add_microsoft(op_type, {g.gradient(), g.input(0)}));
}

constexpr char relu_grad[] = "ReluGrad";
constexpr char sigmoid_grad[] = "SigmoidGrad";
constexpr char tanh_grad[] = "TanhGrad";
constexpr char gelu_grad[] = "GeluGrad";
constexpr char fast_gelu_grad[] = "FastGeluGrad";

void onnx_gelu_gradient(GradientContext& g) {
  const bool tanh_form = g.attributes().text("approximate", "none") == "tanh";
  tanh_form ? from_input<fast_gelu_grad>(g) : from_input<gelu_grad>(g);
}

void quick_gelu_gradient(GradientContext& g) {
  const Attributes alpha = {{"alpha", g.attributes().real("alpha", 1.702F)}};
  g.give(0, g.add_microsoft("QuickGeluGrad", {g.gradient(), g.input(0)}, alpha));
}

/// Gradients of BiasGelu and of FastGelu with a bias. One fused node computes the gradient of x;
/// the sum of this gradient over the broadcast axes is the gradient of the bias.
void give_with_bias(GradientContext& g, std::string_view op_type) {
  const ValueId dx = g.add_microsoft(op_type, {g.gradient(), g.input(0), g.input(1)});
  if (g.wants(0)) g.give(0, dx);
  if (g.wants(1)) g.give_broadcast(1, dx);
}

void bias_gelu_gradient(GradientContext& g) { give_with_bias(g, "BiasGeluGrad_dX"); }

void fast_gelu_gradient(GradientContext& g) {
  if (g.has_input(1)) {
    give_with_bias(g, "BiasFastGeluGrad_dX");
  } else {
    from_input<fast_gelu_grad>(g);
  }
}

/// (data, [bias along the last axis])
void infer_with_bias(ShapeContext& context) {
  infer_like_first_input(context);
  if (context.has_input(1))
    context.require_length(1, context.dim(0, -1),
                           "the length of the bias and the size of the last axis");
}

/// Output 0 has the type and dims of input 0. `apply` maps the known elements of input 0.
template <Expr (*apply)(const Expr&)>
void infer_mapped(ShapeContext& context) {
  infer_like_first_input(context);
  if (const Contents* const known = context.contents(0)) {
    Contents mapped;
    for (const Expr& item : *known) mapped.push_back(apply(item));
    context.set_contents(0, std::move(mapped));
  }
}

Expr negated(const Expr& a) { return -a; }
Expr rounded_down(const Expr& a) { return floor(a); }
Expr rounded_up(const Expr& a) { return ceil(a); }

/// (gradient, a tensor of the forward pass, [bias along the last axis]) -> gradient. All tensors
/// except for the bias have equal shapes.
void infer_elementwise_gradient(ShapeContext& context) {
  context.require_same_shape(0, 1);
  if (context.has_input(2)) {
    context.require_length(2, context.dim(0, -1),
                           "the length of the bias and the size of the last axis");
  }
  infer_like_first_input(context);
}

void infer_flags(ShapeContext& context) { context.set(0, ElementType::boolean, context.shape(0)); }

Op unary(std::string type, std::vector<std::int64_t> versions, void (*gradient)(GradientContext&),
         double (*flops)(const CostContext&) = nullptr) {
  return {.type = std::move(type),
          .versions = std::move(versions),
          .operands = "X:float -> Y",
          .infer = infer_like_first_input,
          .gradient = gradient,
          .flops = flops,
          .in_place = first_input};
}

/// A unary operator that also takes integers.
Op of_numbers(Op op) {
  op.operands = "X:number -> Y";
  return op;
}

void add_rounding(OpRegistry& registry) {
  Op floor_op = unary("Floor", {1, 6, 13}, nullptr);
  floor_op.infer = infer_mapped<rounded_down>;
  Op ceil_op = unary("Ceil", {1, 6, 13}, nullptr);
  ceil_op.infer = infer_mapped<rounded_up>;
  for (Op op : {floor_op, ceil_op, unary("Round", {11, 22}, nullptr),
                of_numbers(unary("Sign", {9, 13}, nullptr))}) {
    op.stops_gradients = true;
    registry.add(std::move(op));
  }
  for (const char* type : {"IsNaN", "IsInf"}) {
    registry.add({.type = type,
                  .versions = {9, 10, 13, 20},
                  .operands = "X:float|float8 -> Y",
                  .infer = infer_flags,
                  .stops_gradients = true});
  }
}

/// Registers a gradient operator of (gradient, x or y) or (gradient, x, bias). Its output has the
/// shape of the gradient.
void add_gradient_op(OpRegistry& registry, const char* type) {
  const bool has_bias = std::string_view(type).starts_with("Bias");
  registry.add(microsoft(
      {.type = type,
       .operands = has_bias ? "dY:float X=dY bias=dY[1] -> dX" : "dY:float X_or_Y=dY -> dX",
       .infer = infer_elementwise_gradient,
       .flops = flops_per_element<10>,
       .in_place = {{0, 0}},
       .tolerates_float8 = true}));
}

void add_trigonometry(OpRegistry& registry) {
  registry.add(unary("Tan", {7, 22}, tan_gradient, flops_per_element<4>));
  registry.add(unary("Asin", {7, 22}, asin_gradient, flops_per_element<4>));
  registry.add(unary("Acos", {7, 22}, acos_gradient, flops_per_element<4>));
  registry.add(unary("Atan", {7, 22}, atan_gradient, flops_per_element<4>));
  registry.add(unary("Sinh", {9, 22}, sinh_gradient, flops_per_element<8>));
  registry.add(unary("Cosh", {9, 22}, cosh_gradient, flops_per_element<8>));
  registry.add(unary("Asinh", {9, 22}, asinh_gradient, flops_per_element<8>));
  registry.add(unary("Acosh", {9, 22}, acosh_gradient, flops_per_element<8>));
  registry.add(unary("Atanh", {9, 22}, atanh_gradient, flops_per_element<8>));
}

}  // namespace

void add_activation_ops(OpRegistry& registry) {
  Op neg = recomputed(of_numbers(unary("Neg", {1, 6, 13}, neg_gradient)), {1, 6, 13});
  neg.infer = infer_mapped<negated>;
  registry.add(std::move(neg));
  add_rounding(registry);
  registry.add(of_numbers(unary("Abs", {1, 6, 13}, abs_gradient)));
  registry.add(unary("Exp", {1, 6, 13}, exp_gradient, flops_per_element<4>));
  registry.add(unary("Log", {1, 6, 13}, log_gradient, flops_per_element<4>));
  registry.add(unary("Sqrt", {1, 6, 13}, sqrt_gradient));
  registry.add(unary("Reciprocal", {1, 6, 13}, reciprocal_gradient));
  registry.add(of_numbers(unary("Erf", {9, 13}, erf_gradient, flops_per_element<10>)));
  registry.add(recomputed(unary("Sin", {7, 22}, sin_gradient, flops_per_element<4>), {7}));
  registry.add(recomputed(unary("Cos", {7, 22}, cos_gradient, flops_per_element<4>), {7}));
  registry.add(unary("Sigmoid", {1, 6, 13}, from_output<sigmoid_grad>, flops_per_element<4>));
  registry.add(unary("Tanh", {1, 6, 13}, from_output<tanh_grad>, flops_per_element<8>));
  registry.add(of_numbers(unary("Relu", {1, 6, 13, 14}, from_output<relu_grad>)));
  registry.add(unary("LeakyRelu", {1, 6, 16}, leaky_relu_gradient));
  registry.add(unary("Elu", {1, 6, 22}, elu_gradient));
  registry.add(unary("Softplus", {1, 22}, softplus_gradient, flops_per_element<8>));
  registry.add(unary("HardSigmoid", {1, 6, 22}, hard_sigmoid_gradient));
  registry.add(unary("HardSwish", {14, 22}, hard_swish_gradient));
  add_trigonometry(registry);
  registry.add(unary("Selu", {1, 6, 22}, selu_gradient, flops_per_element<8>));
  registry.add(unary("Softsign", {1, 22}, softsign_gradient, flops_per_element<3>));
  registry.add(unary("Celu", {12}, celu_gradient, flops_per_element<8>));
  registry.add(unary("Mish", {18, 22}, mish_gradient, flops_per_element<16>));
  registry.add(unary("ThresholdedRelu", {1, 10, 22}, thresholded_relu_gradient));
  registry.add(recomputed(unary("Gelu", {20}, onnx_gelu_gradient, flops_per_element<12>), {20}));
  registry.add(
      microsoft(recomputed(unary("Gelu", {}, from_input<gelu_grad>, flops_per_element<12>), {1})));
  registry.add(microsoft(
      recomputed(unary("QuickGelu", {}, quick_gelu_gradient, flops_per_element<6>), {1})));
  Op bias_gelu = unary("BiasGelu", {}, bias_gelu_gradient, flops_per_element<13>);
  Op fast_gelu = unary("FastGelu", {}, fast_gelu_gradient, flops_per_element<14>);
  bias_gelu.operands = "X:float bias=X[1] -> Y";
  fast_gelu.operands = "X:float bias?=X[1] -> Y";
  for (Op* const each : {&bias_gelu, &fast_gelu}) {
    each->infer = infer_with_bias;
    registry.add(microsoft(recomputed(std::move(*each), {1})));
  }
  for (const char* type : {"ReluGrad", "SigmoidGrad", "TanhGrad", "GeluGrad", "FastGeluGrad",
                           "QuickGeluGrad", "BiasGeluGrad_dX", "BiasFastGeluGrad_dX"}) {
    add_gradient_op(registry, type);
  }
}

}  // namespace stashscope
