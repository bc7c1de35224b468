// Comparisons, boolean operators and selection.

#include "core/ops/families/families.h"
#include "core/ops/rules/rules.h"

namespace stashscope {

namespace {

std::optional<Expr> truth(bool holds) { return Expr(holds ? 1 : 0); }

std::optional<Expr> equal_items(const Expr& a, const Expr& b) {
  if (a == b) return truth(true);
  if (is_positive(a - b) || is_positive(b - a)) return truth(false);
  return std::nullopt;
}

std::optional<Expr> less_items(const Expr& a, const Expr& b) {
  if (is_positive(b - a)) return truth(true);
  if (is_nonnegative(a - b)) return truth(false);
  return std::nullopt;
}

std::optional<Expr> less_or_equal_items(const Expr& a, const Expr& b) {
  if (is_nonnegative(b - a)) return truth(true);
  if (is_positive(a - b)) return truth(false);
  return std::nullopt;
}

std::optional<Expr> greater_items(const Expr& a, const Expr& b) { return less_items(b, a); }
std::optional<Expr> greater_or_equal_items(const Expr& a, const Expr& b) {
  return less_or_equal_items(b, a);
}
std::optional<Expr> and_items(const Expr& a, const Expr& b) { return minimum(a, b); }
std::optional<Expr> or_items(const Expr& a, const Expr& b) { return maximum(a, b); }
std::optional<Expr> xor_items(const Expr& a, const Expr& b) {
  return a.is_constant() && b.is_constant() ? truth(a != b) : std::nullopt;
}

template <Combine combine>
void infer_comparison(ShapeContext& context) {
  infer_broadcast_boolean(context);
  combine_contents(context, combine);
}

void infer_not(ShapeContext& context) {
  context.set(0, ElementType::boolean, context.shape(0));
  if (const Contents* const known = context.contents(0)) {
    Contents inverted;
    for (const Expr& item : *known) inverted.push_back(Expr(1) - item);
    context.set_contents(0, std::move(inverted));
  }
}

void infer_where(ShapeContext& context) {
  context.require_same_element(1, 2);
  context.set_element(0, context.element(1));
  const Shape choices = context.broadcast(context.shape(1), context.shape(2));
  context.set_shape(0, context.broadcast(context.shape(0), choices));
  const auto condition = context.integers(0);
  const Contents* const yes = context.contents(1);
  const Contents* const no = context.contents(2);
  if (!condition || yes == nullptr || no == nullptr) return;
  if (std::max({context.rank(0), context.rank(1), context.rank(2)}) > 1) return;
  const std::size_t size = std::max({condition->size(), yes->size(), no->size()});
  const auto fits = [&](std::size_t count) { return count == size || count == 1; };
  if (!fits(condition->size()) || !fits(yes->size()) || !fits(no->size())) return;
  const auto at = [](const auto& items, std::size_t i) { return items[items.size() == 1 ? 0 : i]; };
  Contents chosen;
  for (std::size_t i = 0; i < size; ++i) {
    chosen.push_back(at(*condition, i) != 0 ? at(*yes, i) : at(*no, i));
  }
  context.set_contents(0, std::move(chosen));
}

/// Each operand receives the gradient where it was chosen, zero elsewhere.
void where_gradient(GradientContext& g) {
  const ValueId zero = g.scalar_like(g.output(), 0);
  if (g.wants(1)) g.give_broadcast(1, g.add("Where", {g.input(0), g.gradient(), zero}));
  if (g.wants(2)) g.give_broadcast(2, g.add("Where", {g.input(0), zero, g.gradient()}));
}

Op comparison(std::string type, std::vector<std::int64_t> versions, void (*infer)(ShapeContext&)) {
  return {.type = std::move(type),
          .versions = std::move(versions),
          .operands = "A:number|bool B=A -> C",
          .infer = infer,
          .stops_gradients = true};
}

Op boolean(std::string type, std::vector<std::int64_t> versions, void (*infer)(ShapeContext&)) {
  Op op = comparison(std::move(type), std::move(versions), infer);
  op.operands = "A:bool B:bool -> C";
  op.in_place = {{0, 0}, {1, 0}};
  return op;
}

}  // namespace

void add_logic_ops(OpRegistry& registry) {
  registry.add(recomputed(comparison("Equal", {1, 7, 11, 13, 19}, infer_comparison<equal_items>),
                          {1, 7, 11, 13, 19}));
  registry.add(
      recomputed(comparison("Less", {1, 7, 9, 13}, infer_comparison<less_items>), {1, 7, 9, 13}));
  registry.add(comparison("Greater", {1, 7, 9, 13}, infer_comparison<greater_items>));
  registry.add(comparison("LessOrEqual", {12, 16}, infer_comparison<less_or_equal_items>));
  registry.add(comparison("GreaterOrEqual", {12, 16}, infer_comparison<greater_or_equal_items>));
  registry.add(boolean("And", {1, 7}, infer_comparison<and_items>));
  registry.add(boolean("Or", {1, 7}, infer_comparison<or_items>));
  registry.add(boolean("Xor", {1, 7}, infer_comparison<xor_items>));
  Op invert = comparison("Not", {1}, infer_not);
  invert.operands = "X:bool -> Y";
  invert.in_place = {{0, 0}};
  registry.add(std::move(invert));
  for (const char* type : {"BitwiseAnd", "BitwiseOr", "BitwiseXor", "BitShift"}) {
    Op op = boolean(type, {11, 18}, infer_broadcast);
    op.operands = "A:integer B=A -> C";
    registry.add(std::move(op));
  }
  Op bitwise_not = comparison("BitwiseNot", {18}, infer_like_first_input);
  bitwise_not.operands = "X:integer -> Y";
  bitwise_not.in_place = {{0, 0}};
  registry.add(std::move(bitwise_not));
  registry.add(recomputed({.type = "Where",
                           .versions = {9, 16},
                           .operands = "condition:bool X Y=X -> output",
                           .infer = infer_where,
                           .gradient = where_gradient,
                           .in_place = {{1, 0}, {2, 0}}},
                          {9, 16}));
}

}  // namespace stashscope
