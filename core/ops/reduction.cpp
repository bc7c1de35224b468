// Reductions over axes, arg-extremes, running sums and top-k.

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/ops/families.h"
#include "core/ops/rules.h"

namespace stashscope {

namespace {

/// Shape after reducing `axes` of `data`.
Shape reduced_shape(const Shape& data, const std::vector<std::int64_t>& axes, bool keep) {
  Shape shape;
  for (std::int64_t i = 0; i < std::ssize(data); ++i) {
    const bool reduced = std::find(axes.begin(), axes.end(), i) != axes.end();
    if (!reduced) shape.push_back(data[static_cast<std::size_t>(i)]);
    if (reduced && keep) shape.push_back(1);
  }
  return shape;
}

/// No axes mean all of them, or none with `noop_with_empty_axes`.
template <std::int64_t axes_input_since>
void infer_reduce(ShapeContext& context) {
  context.set_element(0, context.element(0));
  const bool keep = context.attributes().integer("keepdims", 1) != 0;
  auto axes = read_axes(context, 1, axes_input_since, context.rank(0));
  if (!axes) {
    if (!keep) throw ShapeUnknown();
    Shape unknown;
    for (std::int64_t i = 0; i < context.rank(0); ++i) unknown.push_back(context.unknown_dim());
    context.set_shape(0, std::move(unknown));
    return;
  }
  if (axes->empty()) {
    if (context.attributes().integer("noop_with_empty_axes", 0) != 0) {
      context.set_shape(0, context.shape(0));
      return;
    }
    axes = all_axes(context.rank(0));
  }
  context.set_shape(0, reduced_shape(context.shape(0), *axes, keep));
}

/// Shapes are multiplied up to element counts and the like, so these follow known elements.
template <Expr (*combine)(const Expr&, const Expr&), std::int64_t axes_input_since>
void infer_reduce_contents(ShapeContext& context) {
  infer_reduce<axes_input_since>(context);
  const Contents* const items = context.contents(0);
  const auto& shape = context.outputs()[0].type.shape;
  if (items == nullptr || items->empty() || context.rank(0) > 1 || !shape) return;
  if (element_count(context.outputs()[0].type) != Expr(1)) return;
  Expr result = items->front();
  for (std::size_t i = 1; i < items->size(); ++i) result = combine(result, (*items)[i]);
  context.set_contents(0, {result});
}

Expr multiplied(const Expr& a, const Expr& b) { return a * b; }
Expr added(const Expr& a, const Expr& b) { return a + b; }

void infer_arg_extreme(ShapeContext& context) {
  context.set_element(0, ElementType::int64);
  const std::int64_t axis = context.axis(context.attributes().integer("axis", 0), context.rank(0));
  const bool keep = context.attributes().integer("keepdims", 1) != 0;
  context.set_shape(0, reduced_shape(context.shape(0), {axis}, keep));
}

void infer_top_k(ShapeContext& context) {
  context.set_element(0, context.element(0));
  context.set_element(1, ElementType::int64);
  Shape shape = context.shape(0);
  const std::int64_t axis = context.axis(context.attributes().integer("axis", -1), context.rank(0));
  const Contents* const count = context.contents(1);
  Expr k = context.version() < 10                   ? Expr(context.attributes().integer("k", 0))
           : count != nullptr && count->size() == 1 ? (*count)[0]
                                                    : context.unknown_dim();
  shape[static_cast<std::size_t>(axis)] = std::move(k);
  context.set_shape(0, shape);
  context.set_shape(1, shape);
}

/// The axes a reduction sums over; nothing when they are not known.
std::optional<std::vector<std::int64_t>> reduced_axes(const GradientContext& g,
                                                      std::int64_t axes_input_since) {
  const std::int64_t rank = g.rank(g.input(0));
  std::vector<std::int64_t> axes = g.attributes().integers("axes");
  if (g.opset() >= axes_input_since && g.has_input(1)) {
    const auto known = g.integers(1);
    if (!known) return std::nullopt;
    axes = *known;
  }
  for (std::int64_t& axis : axes) axis = axis < 0 ? axis + rank : axis;
  const bool keeps_all = g.attributes().integer("noop_with_empty_axes", 0) != 0;
  if (axes.empty() && !keeps_all) axes = all_axes(rank);
  std::sort(axes.begin(), axes.end());
  return axes;
}

std::vector<std::int64_t> require_axes(const GradientContext& g, std::int64_t axes_input_since) {
  auto axes = reduced_axes(g, axes_input_since);
  if (!axes) fail_input("", "its axes are not known, so no gradient can be built");
  return *axes;
}

/// The gradient with the reduced axes put back as size 1.
ValueId with_kept_axes(GradientContext& g, const std::vector<std::int64_t>& axes) {
  const bool keep = g.attributes().integer("keepdims", 1) != 0;
  return keep || axes.empty() ? g.gradient() : g.unsqueeze(g.gradient(), axes);
}

void reduce_sum_gradient(GradientContext& g) {
  const ValueId kept = with_kept_axes(g, require_axes(g, 13));
  g.give(0, g.add("Expand", {kept, g.shape_of(g.input(0))}));
}

/// How many elements one result is the mean of; a number, or computed from the shape.
ValueId reduced_count(GradientContext& g, const std::vector<std::int64_t>& axes) {
  const Shape& shape = g.shape(g.input(0));
  Expr count = 1;
  for (const std::int64_t axis : axes) count = count * shape[static_cast<std::size_t>(axis)];
  if (const auto number = count.integer()) {
    return g.scalar_like(g.input(0), static_cast<double>(*number));
  }
  const ValueId sizes = g.add("Gather", {g.shape_of(g.input(0)), g.int64s(axes)});
  const ValueId product = g.add("ReduceProd", {sizes}, {{"keepdims", std::int64_t{0}}});
  return g.cast(product, g.type(g.input(0)).element);
}

void reduce_mean_gradient(GradientContext& g) {
  const std::vector<std::int64_t> axes = require_axes(g, 18);
  const ValueId share = g.add("Div", {with_kept_axes(g, axes), reduced_count(g, axes)});
  g.give(0, g.add("Expand", {share, g.shape_of(g.input(0))}));
}

/// To every element that equals the extreme, in equal parts as autograd frameworks do.
void reduce_extreme_gradient(GradientContext& g) {
  const std::vector<std::int64_t> axes = require_axes(g, 18);
  // No axes would mean all of them to the sum below.
  if (axes.empty()) return g.give(0, g.gradient());
  const bool keep = g.attributes().integer("keepdims", 1) != 0;
  const ValueId extreme = keep ? g.output() : g.unsqueeze(g.output(), axes);
  const ElementType element = g.type(g.input(0)).element;
  const ValueId chosen = g.cast(g.add("Equal", {g.input(0), extreme}), element);
  const ValueId share = g.add("Div", {with_kept_axes(g, axes), g.reduce_sum(chosen, axes, true)});
  g.give(0, g.add("Mul", {chosen, share}));
}

/// d|x|_2 = x / |x|_2
void reduce_l2_gradient(GradientContext& g) {
  const std::vector<std::int64_t> axes = require_axes(g, 18);
  const bool keep = g.attributes().integer("keepdims", 1) != 0;
  const ValueId norm = keep ? g.output() : g.unsqueeze(g.output(), axes);
  const ValueId share = g.add("Div", {with_kept_axes(g, axes), norm});
  g.give(0, g.add("Mul", {g.input(0), share}));
}

void reduce_sum_square_gradient(GradientContext& g) {
  const std::vector<std::int64_t> axes = require_axes(g, 18);
  const ValueId twice = g.add("Mul", {g.input(0), g.scalar_like(g.input(0), 2)});
  g.give(0, g.add("Mul", {twice, with_kept_axes(g, axes)}));
}

/// exp(x - y)
void reduce_log_sum_exp_gradient(GradientContext& g) {
  const std::vector<std::int64_t> axes = require_axes(g, 18);
  const bool keep = g.attributes().integer("keepdims", 1) != 0;
  const ValueId total = keep ? g.output() : g.unsqueeze(g.output(), axes);
  const ValueId weights = g.add("Exp", {g.add("Sub", {g.input(0), total})});
  g.give(0, g.add("Mul", {weights, with_kept_axes(g, axes)}));
}

/// The sum runs the other way.
void cum_sum_gradient(GradientContext& g) {
  const std::int64_t reverse = g.attributes().integer("reverse", 0);
  g.give(0, g.add("CumSum", {g.gradient(), g.input(1)},
                  {{"exclusive", g.attributes().integer("exclusive", 0)},
                   {"reverse", std::int64_t{reverse == 0}}}));
}

template <std::int64_t axes_input_since = 18>
Op reduce(std::string type, void (*gradient)(GradientContext&)) {
  return {.type = std::move(type),
          .versions = {1, 11, 12, 13, 18, 20},
          .infer = infer_reduce<axes_input_since>,
          .gradient = gradient,
          .flops = flops_per_input_element<1>};
}

}  // namespace

void add_reduction_ops(OpRegistry& registry) {
  Op sum = reduce<13>("ReduceSum", reduce_sum_gradient);
  sum.infer = infer_reduce_contents<added, 13>;
  sum.versions = {1, 11, 13};
  registry.add(std::move(sum));
  Op product = reduce("ReduceProd", nullptr);
  product.infer = infer_reduce_contents<multiplied, 18>;
  registry.add(std::move(product));
  Op greatest = reduce("ReduceMax", reduce_extreme_gradient);
  greatest.infer = infer_reduce_contents<maximum, 18>;
  registry.add(std::move(greatest));
  Op least = reduce("ReduceMin", reduce_extreme_gradient);
  least.infer = infer_reduce_contents<minimum, 18>;
  registry.add(std::move(least));
  registry.add(reduce("ReduceMean", reduce_mean_gradient));
  registry.add(reduce("ReduceL2", reduce_l2_gradient));
  registry.add(reduce("ReduceSumSquare", reduce_sum_square_gradient));
  registry.add(reduce("ReduceLogSumExp", reduce_log_sum_exp_gradient));
  registry.add(reduce("ReduceL1", nullptr));
  registry.add(reduce("ReduceLogSum", nullptr));
  for (const char* type : {"ArgMax", "ArgMin"}) {
    registry.add({.type = type,
                  .versions = {1, 11, 12, 13},
                  .infer = infer_arg_extreme,
                  .stops_gradients = true,
                  .flops = flops_per_input_element<1>});
  }
  registry.add({.type = "CumSum",
                .versions = {11, 14},
                .infer = infer_like_first_input,
                .gradient = cum_sum_gradient,
                .in_place = {},
                .recompute = RecomputeLevel::basic,
                .recompute_rules = {{{11, 14}, {1}}}});
  registry.add({.type = "TopK", .versions = {1, 10, 11, 24}, .infer = infer_top_k});
}

}  // namespace stashscope
