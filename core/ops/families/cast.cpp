// Conversions between element types.

#include "core/ops/families/families.h"
#include "core/ops/rules/rules.h"

namespace stashscope {

namespace {

/// Conversion to an integer truncates towards zero, which equals floor for non-negative numbers.
std::optional<Expr> converted(const Expr& item, ElementType to) {
  if (to == ElementType::boolean) {
    if (item.is_constant()) return Expr(item.is(0) ? 0 : 1);
    return is_positive(item) ? std::optional(Expr(1)) : std::nullopt;
  }
  if (!is_integer(to) || is_integer_valued(item)) return item;
  if (is_nonnegative(item)) return floor(item);
  if (is_nonnegative(-item)) return ceil(item);
  return std::nullopt;
}

void infer_conversion(ShapeContext& context, ElementType to) {
  context.set(0, to, context.shape(0));
  const Contents* const items = context.contents(0);
  if (items == nullptr) return;
  Contents result;
  for (const Expr& item : *items) {
    const auto next = converted(item, to);
    if (!next) return;
    result.push_back(*next);
  }
  context.set_contents(0, std::move(result));
}

/// The element type that the attribute `to` names.
ElementType target_element(const ShapeContext& context) {
  const std::int64_t to = context.attributes().require_integer("to");
  if (!std::in_range<int>(to) || !is_known_element_type(static_cast<int>(to))) {
    context.fail("casts to the unknown element type " + std::to_string(to));
  }
  return static_cast<ElementType>(to);
}

void infer_cast(ShapeContext& context) {
  if (!context.attributes().has("to")) context.fail("the required attribute 'to' is missing");
  // Before version 6 the attribute `to` is a text.
  if (context.version() < 6) throw ShapeUnknown();
  const ElementType to = target_element(context);
  context.set_element(0, to);
  infer_conversion(context, to);
}

void infer_cast_like(ShapeContext& context) {
  context.set_element(0, context.element(1));
  infer_conversion(context, context.element(1));
}

/// The output has the bits of the input, as elements of another type of equal size.
void infer_bit_cast(ShapeContext& context) {
  const ElementType element = target_element(context);
  if (context.element(0) != ElementType::undefined &&
      bits_per_element(context.element(0)) != bits_per_element(element)) {
    context.fail("casts to elements of another size");
  }
  context.set(0, element, context.shape(0));
}

void cast_gradient(GradientContext& g) {
  g.give(0, g.cast(g.gradient(), g.type(g.input(0)).element));
}

}  // namespace

void add_cast_ops(OpRegistry& registry) {
  registry.add({.type = "Cast",
                .versions = {1, 6, 9, 13, 19, 21, 23, 24},
                .operands = "input -> output",
                .infer = infer_cast,
                .gradient = cast_gradient,
                .in_place = {{0, 0}},
                .reference_in_place = true,
                .recompute = RecomputeLevel::basic,
                .recompute_rules = {{{1, 6, 9, 13, 19}, {}}}});
  registry.add({.type = "BitCast",
                .versions = {26},
                .operands = "input -> output",
                .infer = infer_bit_cast,
                .stops_gradients = true,
                .flops = no_flops});
  registry.add({.type = "CastLike",
                .versions = {15, 19, 21, 23, 24},
                .operands = "input target_type -> output",
                .infer = infer_cast_like,
                .gradient = cast_gradient});
}

}  // namespace stashscope
