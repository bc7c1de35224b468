#include "core/ops/rules/rules.h"

#include <numeric>

#include "core/base/error.h"
#include "core/ops/rules/contents.h"

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

void infer_shaped_by(ShapeContext& context, std::size_t operand, std::size_t element_of) {
  context.set_element(0, context.element(element_of));
  const Contents* const dims = context.contents(operand);
  if (dims == nullptr) throw ShapeUnknown();
  context.set_shape(0, Shape(dims->begin(), dims->end()));
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
  const bool is_real = is_floating(context.element(0));
  Contents result;
  for (std::size_t i = 0; i < size; ++i) {
    const Expr& x = (*a)[a->size() == 1 ? 0 : i];
    const Expr& y = (*b)[b->size() == 1 ? 0 : i];
    const bool is_mixed = is_real && x.is_constant() != y.is_constant();
    const auto item =
        is_mixed ? combine(simplest_fraction(x), simplest_fraction(y)) : combine(x, y);
    if (!item) return;
    result.push_back(*item);
  }
  context.set_contents(0, std::move(result));
}

std::optional<std::vector<std::vector<std::int64_t>>> element_offsets(const Shape& shape) {
  std::vector<std::vector<std::int64_t>> offsets(shape.size());
  std::int64_t stride = 1;
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    const auto size = shape[axis].integer();
    const auto limit = static_cast<std::int64_t>(max_contents);
    if (!size || *size > limit || stride * *size > limit) return std::nullopt;
    for (std::int64_t i = 0; i < *size; ++i) offsets[axis].push_back(i * stride);
    stride *= *size;
  }
  return offsets;
}

Contents pick(const Contents& items, const std::vector<std::vector<std::int64_t>>& offsets) {
  std::vector<std::int64_t> positions = {0};
  for (const std::vector<std::int64_t>& along : offsets) {
    std::vector<std::int64_t> next;
    for (const std::int64_t position : positions) {
      for (const std::int64_t offset : along) next.push_back(position + offset);
    }
    positions = std::move(next);
  }
  Contents picked;
  for (const std::int64_t position : positions) {
    picked.push_back(items[static_cast<std::size_t>(position)]);
  }
  return picked;
}

Op data_movement(std::string type, std::vector<std::int64_t> versions, Operands operands,
                 void (*infer)(ShapeContext&), void (*gradient)(GradientContext&),
                 std::vector<RecomputeRule> rules) {
  return {.type = std::move(type),
          .versions = std::move(versions),
          .operands = std::move(operands),
          .infer = infer,
          .gradient = gradient,
          .flops = no_flops,
          .recompute = rules.empty() ? RecomputeLevel::never : RecomputeLevel::basic,
          .recompute_rules = std::move(rules)};
}

double bytes_of_picked(const CostContext& cost) {
  double bytes = 2 * cost.bytes_of_output();
  for (std::size_t i = 1; i < cost.input_bytes.size(); ++i) bytes += cost.bytes_of_input(i);
  return bytes;
}

Op recomputed(Op op, std::vector<std::int64_t> versions) {
  op.recompute = RecomputeLevel::basic;
  op.recompute_rules = {{std::move(versions), {}}};
  return op;
}

Op microsoft(Op op) {
  op.domain = microsoft_domain;
  op.versions = {1};
  return op;
}

ElementType element_attribute(const Attributes& attributes, std::string_view name,
                              ElementType otherwise) {
  const std::int64_t number = attributes.integer(name, 0);
  if (number == 0) return otherwise;
  if (number < 0 || number > 255 || !is_known_element_type(static_cast<int>(number))) {
    fail_input("", "attribute '" + std::string(name) + "' names the unknown element type " +
                       std::to_string(number));
  }
  return static_cast<ElementType>(number);
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
    if (context.attributes().has("axes")) {
      context.fail("gives axes as an attribute, but version " + std::to_string(input_since) +
                   " of the operator made them input " + std::to_string(input_index));
    }
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
