// Elementwise arithmetic of several inputs with broadcasting.

#include "core/ops/families/families.h"
#include "core/ops/rules/rules.h"

namespace stashscope {

namespace {

std::optional<Expr> add_items(const Expr& a, const Expr& b) { return a + b; }
std::optional<Expr> subtract_items(const Expr& a, const Expr& b) { return a - b; }
std::optional<Expr> multiply_items(const Expr& a, const Expr& b) { return a * b; }
std::optional<Expr> least_item(const Expr& a, const Expr& b) { return minimum(a, b); }
std::optional<Expr> greatest_item(const Expr& a, const Expr& b) { return maximum(a, b); }

/// Integer division truncates towards zero, which equals floor for non-negative numbers.
std::optional<Expr> divide_integers(const Expr& a, const Expr& b) {
  const auto x = a.integer();
  const auto y = b.integer();
  if (y && *y == 0) return std::nullopt;
  // The processor traps when it divides the lowest number by -1, the only quotient that does not
  // fit.
  if (y && *y == -1) return -a;
  if (x && y) return Expr(*x / *y);
  if (!is_nonnegative(a) || !is_positive(b)) return std::nullopt;
  return floor_divide(a, b);
}

std::optional<Expr> divide_reals(const Expr& a, const Expr& b) { return divide(a, b); }

/// The remainder has the sign of the divisor.
std::optional<Expr> modulo(const Expr& a, const Expr& b) {
  const bool is_defined = is_positive(b) || is_positive(-b);
  if (!is_defined || !is_integer_valued(a) || !is_integer_valued(b)) return std::nullopt;
  return a - b * floor_divide(a, b);
}

/// The remainder has the sign of the dividend, as in C.
std::optional<Expr> truncated_modulo(const Expr& a, const Expr& b) {
  const bool is_negative = is_nonnegative(-a) && !a.is(0);
  if (!is_negative && !is_nonnegative(a)) return std::nullopt;
  const auto rest = modulo(is_negative ? -a : a, is_positive(-b) ? -b : b);
  return rest && is_negative ? -*rest : rest;
}

template <Combine combine>
void infer_arithmetic(ShapeContext& context) {
  infer_broadcast(context);
  if (context.input_count() == 2) combine_contents(context, combine);
}

void infer_division(ShapeContext& context) {
  infer_broadcast(context);
  combine_contents(context, is_integer(context.element(0)) ? divide_integers : divide_reals);
}

void infer_mod(ShapeContext& context) {
  infer_broadcast(context);
  const bool truncates = context.attributes().integer("fmod", 0) != 0;
  combine_contents(context, truncates ? truncated_modulo : modulo);
}

/// The exponent's type may differ from the base's type.
void infer_power(ShapeContext& context) {
  context.set_element(0, context.element(0));
  context.set_shape(0, context.broadcast(context.shape(0), context.shape(1)));
  const Contents* const base = context.contents(0);
  const auto exponent = context.integer(1);
  if (base == nullptr || !exponent || *exponent < 0 || *exponent > 8) return;
  Contents powers;
  for (const Expr& item : *base) {
    Expr power = 1;
    for (std::int64_t i = 0; i < *exponent; ++i) power = power * item;
    powers.push_back(power);
  }
  if (context.shape(0) == *context.outputs()[0].type.shape) context.set_contents(0, powers);
}

void infer_clip(ShapeContext& context) {
  infer_like_first_input(context);
  if (context.version() >= 11) {
    for (const std::size_t bound : {1U, 2U}) {
      if (context.has_input(bound)) context.require_same_element(0, bound);
    }
  }
}

void add_gradient(GradientContext& g) {
  for (const std::size_t i : {0U, 1U}) {
    if (g.wants(i)) g.give_broadcast(i, g.gradient());
  }
}

void sub_gradient(GradientContext& g) {
  if (g.wants(0)) g.give_broadcast(0, g.gradient());
  if (g.wants(1)) g.give_broadcast(1, g.add("Neg", {g.gradient()}));
}

void mul_gradient(GradientContext& g) {
  if (g.wants(0)) g.give_broadcast(0, g.add("Mul", {g.gradient(), g.input(1)}));
  if (g.wants(1)) g.give_broadcast(1, g.add("Mul", {g.gradient(), g.input(0)}));
}

/// d(a/b) = da/b - a/b^2 * db, computed from the inputs as ONNX Runtime's DivGrad does.
void div_gradient(GradientContext& g) {
  if (g.wants(0)) g.give_broadcast(0, g.add("Div", {g.gradient(), g.input(1)}));
  if (!g.wants(1)) return;
  const ValueId square = g.add("Mul", {g.input(1), g.input(1)});
  const ValueId quotient = g.add("Div", {g.add("Neg", {g.input(0)}), square});
  g.give_broadcast(1, g.add("Mul", {g.gradient(), quotient}));
}

/// The gradient of the base if the exponent is the constant `exponent`.
ValueId constant_power_gradient(GradientContext& g, double exponent) {
  const ValueId base = g.input(0);
  const ValueId factor = g.scalar_like(base, exponent);
  ValueId slope = base;
  if (exponent == 1) return g.gradient();
  if (exponent != 2) {
    slope = g.add("Pow", {base, g.scalar_like(base, exponent - 1)});
  }
  return g.add("Mul", {g.gradient(), g.add("Mul", {slope, factor})});
}

std::optional<double> constant_exponent(const GradientContext& g) {
  const auto& contents = g.contents(1);
  if (!contents || contents->size() != 1) return std::nullopt;
  const auto number = (*contents)[0].constant();
  return number ? std::optional(number->to_double()) : std::nullopt;
}

void pow_gradient(GradientContext& g) {
  const auto exponent = constant_exponent(g);
  if (g.wants(0)) {
    if (exponent) {
      g.give_broadcast(0, constant_power_gradient(g, *exponent));
    } else {
      const ElementType element = g.type(g.input(0)).element;
      const bool converts = g.type(g.input(1)).element != element;
      const ValueId power = converts ? g.cast(g.input(1), element) : g.input(1);
      const ValueId one = g.scalar_like(g.input(0), 1);
      const ValueId lower = g.add("Pow", {g.input(0), g.add("Sub", {power, one})});
      g.give_broadcast(0, g.add("Mul", {g.gradient(), g.add("Mul", {power, lower})}));
    }
  }
  if (g.wants(1)) {
    const ValueId slope = g.add("Mul", {g.output(), g.add("Log", {g.input(0)})});
    g.give_broadcast(1, g.add("Mul", {g.gradient(), slope}));
  }
}

void sum_gradient(GradientContext& g) {
  for (std::size_t i = 0; i < g.node().inputs.size(); ++i) {
    if (g.wants(i)) g.give_broadcast(i, g.gradient());
  }
}

void mean_gradient(GradientContext& g) {
  const double share = 1.0 / static_cast<double>(g.node().inputs.size());
  const ValueId part = g.add("Mul", {g.gradient(), g.scalar_like(g.output(), share)});
  for (std::size_t i = 0; i < g.node().inputs.size(); ++i) {
    if (g.wants(i)) g.give_broadcast(i, part);
  }
}

/// Each input that equals the result gets the full gradient, also in a tie, as in ONNX Runtime.
void extreme_gradient(GradientContext& g) {
  for (std::size_t i = 0; i < g.node().inputs.size(); ++i) {
    if (!g.wants(i)) continue;
    const ValueId chosen =
        g.cast(g.add("Equal", {g.input(i), g.output()}), g.type(g.output()).element);
    g.give_broadcast(i, g.add("Mul", {g.gradient(), chosen}));
  }
}

/// The gradient passes where the input was not clipped.
void clip_gradient(GradientContext& g) {
  const ValueId inside =
      g.cast(g.add("Equal", {g.input(0), g.output()}), g.type(g.output()).element);
  if (g.wants(0)) g.give(0, g.add("Mul", {g.gradient(), inside}));
}

const std::vector<InPlace> either_input = {{0, 0}, {1, 0}};

Op binary(std::string type, std::vector<std::int64_t> versions, void (*infer)(ShapeContext&),
          void (*gradient)(GradientContext&)) {
  return {.type = std::move(type),
          .versions = std::move(versions),
          .operands = "A:number B=A -> C",
          .infer = infer,
          .gradient = gradient,
          .in_place = either_input};
}

/// Makes an operator take any number of inputs, as `operands` describes.
Op variadic(Op op, const char* operands) {
  op.operands = operands;
  return op;
}

}  // namespace

void add_arithmetic_ops(OpRegistry& registry) {
  const std::vector<std::int64_t> basic = {1, 6, 7, 13, 14};
  registry.add(recomputed(binary("Add", basic, infer_arithmetic<add_items>, add_gradient), basic));
  registry.add(
      recomputed(binary("Sub", basic, infer_arithmetic<subtract_items>, sub_gradient), basic));
  registry.add(
      recomputed(binary("Mul", basic, infer_arithmetic<multiply_items>, mul_gradient), basic));
  registry.add(recomputed(binary("Div", basic, infer_division, div_gradient), basic));
  registry.add(binary("Mod", {10, 13}, infer_mod, nullptr));
  const std::vector<std::int64_t> extreme = {1, 6, 8, 12, 13};
  const char* const numbers = "data+:number=data -> result";
  registry.add(
      variadic(binary("Min", extreme, infer_arithmetic<least_item>, extreme_gradient), numbers));
  registry.add(
      variadic(binary("Max", extreme, infer_arithmetic<greatest_item>, extreme_gradient), numbers));
  Op power = binary("Pow", {1, 7, 12, 13, 15}, infer_power, pow_gradient);
  power.operands = "X:number Y:number -> Z";
  power.flops = flops_per_element<10>;
  power.in_place = {{0, 0}};
  registry.add(std::move(power));
  Op sum = binary("Sum", {1, 6, 8, 13}, infer_broadcast, sum_gradient);
  sum.in_place = {{0, 0}};
  registry.add(variadic(sum, "data+:float=data -> sum"));
  Op mean = binary("Mean", {1, 6, 8, 13}, infer_broadcast, mean_gradient);
  mean.in_place = {{0, 0}};
  registry.add(variadic(mean, "data+:float=data -> mean"));
  Op clip = binary("Clip", {1, 6, 11, 12, 13}, infer_clip, clip_gradient);
  clip.operands = {{1, "X:number -> Y"}, {11, "X:number min?=X max?=X -> Y"}};
  clip.in_place = {{0, 0}};
  registry.add(std::move(clip));
}

}  // namespace stashscope
