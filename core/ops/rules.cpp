#include "core/ops/rules.h"

#include <numeric>

namespace stashscope {

namespace {

void infer_broadcast_shape(ShapeContext& context) {
  Shape shape = context.shape(0);
  for (std::size_t i = 1; i < context.input_count(); ++i) {
    shape = context.broadcast(shape, context.shape(i));
  }
  context.set_shape(0, std::move(shape));
}

void require_one_element(ShapeContext& context) {
  for (std::size_t i = 1; i < context.input_count(); ++i) context.require_same_element(0, i);
}

}  // namespace

void infer_like_first_input(ShapeContext& context) {
  context.set_element(0, context.element(0));
  context.set_shape(0, context.shape(0));
}

void infer_broadcast(ShapeContext& context) {
  require_one_element(context);
  context.set_element(0, context.element(0));
  infer_broadcast_shape(context);
}

void infer_broadcast_boolean(ShapeContext& context) {
  require_one_element(context);
  context.set_element(0, ElementType::boolean);
  infer_broadcast_shape(context);
}

void combine_contents(ShapeContext& context, Combine combine) {
  const Contents* const a = context.contents(0);
  const Contents* const b = context.contents(1);
  if (a == nullptr || b == nullptr || a->empty() || b->empty()) return;
  const std::size_t size = std::max(a->size(), b->size());
  const bool fits = (a->size() == size || a->size() == 1) && (b->size() == size || b->size() == 1);
  if (!fits || context.rank(0) > 1 || context.rank(1) > 1) return;
  Contents result;
  for (std::size_t i = 0; i < size; ++i) {
    const auto item = combine((*a)[a->size() == 1 ? 0 : i], (*b)[b->size() == 1 ? 0 : i]);
    if (!item) return;
    result.push_back(*item);
  }
  context.set_contents(0, std::move(result));
}

Contents strided_contents(const Contents& items, std::int64_t base,
                          const std::vector<std::int64_t>& strides,
                          const std::vector<std::int64_t>& dims) {
  Contents picked;
  const std::int64_t count = element_count(dims);
  for (std::int64_t flat = 0; flat < count; ++flat) {
    std::int64_t rest = flat;
    std::int64_t at = base;
    for (std::size_t axis = dims.size(); axis-- > 0;) {
      at += rest % dims[axis] * strides[axis];
      rest /= dims[axis];
    }
    picked.push_back(items[static_cast<std::size_t>(at)]);
  }
  return picked;
}

std::optional<std::vector<std::int64_t>> known_dims(const Shape& shape) {
  std::vector<std::int64_t> dims;
  for (const Expr& dim : shape) {
    const auto number = dim.integer();
    if (!number) return std::nullopt;
    dims.push_back(*number);
  }
  return dims;
}

std::vector<std::int64_t> row_major_strides(const std::vector<std::int64_t>& dims) {
  std::vector<std::int64_t> strides(dims.size(), 1);
  for (std::size_t i = dims.size(); i-- > 1;) strides[i - 1] = strides[i] * dims[i];
  return strides;
}

Op microsoft(Op op) {
  op.domain = microsoft_domain;
  op.versions = {1};
  return op;
}

std::vector<std::int64_t> all_axes(std::int64_t rank) {
  std::vector<std::int64_t> axes(static_cast<std::size_t>(rank));
  std::iota(axes.begin(), axes.end(), 0);
  return axes;
}

std::optional<std::vector<std::int64_t>> read_axes(ShapeContext& context, std::size_t input_index,
                                                   std::int64_t input_since, std::int64_t rank) {
  std::vector<std::int64_t> axes;
  if (context.version() >= input_since) {
    if (!context.has_input(input_index)) return axes;
    const auto known = context.integers(input_index);
    if (!known) return std::nullopt;
    axes = *known;
  } else {
    axes = context.attributes().integers("axes");
  }
  for (std::int64_t& axis : axes) axis = context.axis(axis, rank);
  return axes;
}

}  // namespace stashscope
