// Tensors made from a shape, a range or a random generator.

#include <cmath>

#include "core/ops/families/families.h"
#include "core/ops/rules/rules.h"

namespace stashscope {

namespace {

/// The single element of the attribute `value`; 0 if the attribute is not a single integer.
Expr fill_item(const Tensor& value) {
  if (const auto numbers = value.integers(); numbers && numbers->size() == 1) return (*numbers)[0];
  return 0;
}

void infer_constant_of_shape(ShapeContext& context) {
  const Tensor* const value = context.attributes().tensor("value");
  context.set_element(0, value != nullptr ? value->element() : ElementType::float32);
  const Contents* const dims = context.contents(0);
  if (dims == nullptr) {
    const auto rank = context.dim(0, 0).integer();
    if (!rank) throw ShapeUnknown();
    Shape unknown;
    for (std::int64_t i = 0; i < *rank; ++i) {
      unknown.push_back(context.data_dependent_dim(i, std::nullopt));
    }
    context.set_shape(0, std::move(unknown));
    return;
  }
  context.set_shape(0, Shape(dims->begin(), dims->end()));
  const auto count = element_count(context.outputs()[0].type)->integer();
  const bool whole = value != nullptr &&
                     (is_integer(value->element()) || value->element() == ElementType::boolean);
  if (whole && count && *count <= static_cast<std::int64_t>(max_contents)) {
    context.set_contents(0, Contents(static_cast<std::size_t>(*count), fill_item(*value)));
  }
}

/// The output has max(ceil((limit - start) / delta), 0) elements.
void infer_range(ShapeContext& context) {
  context.set_element(0, context.element(0));
  const auto scalar = [&](std::size_t input) -> std::optional<Expr> {
    const Contents* const known = context.contents(input);
    return known != nullptr && known->size() == 1 ? std::optional((*known)[0]) : std::nullopt;
  };
  const auto start = scalar(0);
  const auto limit = scalar(1);
  const auto delta = scalar(2);
  if (delta && delta->is(0)) context.fail("its input 'delta' must not be 0");
  if (!start || !limit || !delta) {
    context.set_shape(0, {context.data_dependent_dim(0, std::nullopt)});
    return;
  }
  const Expr count = maximum(ceil_divide(*limit - *start, *delta), 0);
  context.set_shape(0, {count});
  const auto number = count.integer();
  if (!number || *number > static_cast<std::int64_t>(max_contents)) return;
  Contents items;
  for (std::int64_t i = 0; i < *number; ++i) items.push_back(*start + Expr(i) * *delta);
  context.set_contents(0, std::move(items));
}

void infer_from_dtype(ShapeContext& context, ElementType otherwise) {
  context.set_element(0, element_attribute(context.attributes(), "dtype", otherwise));
}

void infer_like_with_dtype(ShapeContext& context) {
  infer_from_dtype(context, context.element(0));
  context.set_shape(0, context.shape(0));
}

void infer_random(ShapeContext& context) {
  infer_from_dtype(context, ElementType::float32);
  const Integers dims = context.attributes().require_integers("shape");
  context.set_shape(0, Shape(dims.begin(), dims.end()));
}

Op maker(std::string type, std::vector<std::int64_t> versions, const char* operands,
         void (*infer)(ShapeContext&)) {
  return {.type = std::move(type),
          .versions = std::move(versions),
          .operands = operands,
          .infer = infer,
          .stops_gradients = true,
          .flops = no_flops};
}

}  // namespace

void add_constant_ops(OpRegistry& registry) {
  Op filled = maker("ConstantOfShape", {9, 20, 21, 23, 24}, "shape:int64[1] -> output",
                    infer_constant_of_shape);
  filled.recompute = RecomputeLevel::basic;
  filled.recompute_rules = {{{9, 20}, {0}}};
  registry.add(std::move(filled));
  Op range = maker("Range", {11},
                   "start:number[0..1] limit=start[0..1] delta=start[0..1] -> output", infer_range);
  range.recompute = RecomputeLevel::basic;
  range.recompute_rules = {{{11}, {0, 1, 2}}};
  registry.add(std::move(range));
  registry.add(maker("EyeLike", {9, 22}, "input[2] -> output", infer_like_with_dtype));
  for (const char* type : {"RandomNormalLike", "RandomUniformLike", "Bernoulli"}) {
    Op op = maker(type, {1, 15, 22}, "input -> output", infer_like_with_dtype);
    op.random = true;
    registry.add(std::move(op));
  }
  for (const char* type : {"RandomNormal", "RandomUniform"}) {
    Op op = maker(type, {1, 22}, "-> output", infer_random);
    op.random = true;
    registry.add(std::move(op));
  }
}

}  // namespace stashscope
