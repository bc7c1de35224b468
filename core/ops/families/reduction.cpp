// Reductions over axes, arg-extremes, running sums and top-k.

#include <algorithm>
#include <cmath>

#include "core/ops/families/families.h"
#include "core/ops/rules/rules.h"

namespace stashscope {

namespace {

/// The shape of `data` after `axes` are reduced.
/// @param keep whether the reduced axes stay, with size 1
Shape reduced_shape(const Shape& data, const std::vector<std::int64_t>& axes, bool keep) {
  Shape shape;
  for (std::int64_t i = 0; i < std::ssize(data); ++i) {
    const bool reduced = std::find(axes.begin(), axes.end(), i) != axes.end();
    if (!reduced) shape.push_back(data[static_cast<std::size_t>(i)]);
    if (reduced && keep) shape.push_back(1);
  }
  return shape;
}

/// A reduction without axes reduces all axes, or no axis if `noop_with_empty_axes` is set.
template <std::int64_t axes_input_since>
void infer_reduce(ShapeContext& context) {
  context.set_element(0, context.element(0));
  const bool keep = context.attributes().integer("keepdims", 1) != 0;
  auto axes = read_axes(context, 1, axes_input_since, context.rank(0));
  if (!axes) {
    if (!keep) throw ShapeUnknown();
    Shape kept;
    for (std::int64_t i = 0; i < context.rank(0); ++i) {
      const Expr& dim = context.dim(0, i);
      kept.push_back(dim.is(1) ? Expr(1) : context.data_dependent_dim(i, dim));
    }
    context.set_shape(0, std::move(kept));
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

/// Exporters compute element counts as products of shapes, so known elements are tracked here.
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
  if (context.dim(0, axis).is(0)) context.fail("its axis has no elements");
  const bool keep = context.attributes().integer("keepdims", 1) != 0;
  context.set_shape(0, reduced_shape(context.shape(0), {axis}, keep));
}

void infer_top_k(ShapeContext& context) {
  context.set_element(0, context.element(0));
  context.set_element(1, ElementType::int64);
  Shape shape = context.shape(0);
  const std::int64_t axis = context.axis(context.attributes().integer("axis", -1), context.rank(0));
  const Contents* const count = context.contents(1);
  if (count != nullptr && count->size() != 1) context.fail("k is not a single number");
  Expr k = context.version() < 10 ? Expr(context.attributes().integer("k", 0))
           : count != nullptr && count->size() == 1
               ? (*count)[0]
               : context.data_dependent_dim(axis, shape[static_cast<std::size_t>(axis)]);
  Expr& along = shape[static_cast<std::size_t>(axis)];
  if (k.integer() && along.integer() && *k.integer() > *along.integer()) {
    context.fail("k is " + context.text(k) + ", but the axis has " + context.text(along) +
                 " elements");
  }
  along = std::move(k);
  context.set_shape(0, shape);
  context.set_shape(1, shape);
}

/// The gradient goes back to the positions that the values came from.
void top_k_gradient(GradientContext& g) {
  const ValueId indices = g.saved_output(1, {ElementType::int64, g.type(g.output()).shape, {}});
  g.give(0, g.add_microsoft("GatherElementsGrad", {g.gradient(), g.shape_of(g.input(0)), indices},
                            {{"axis", g.attributes().integer("axis", -1)}}));
}

/// The axes of a reduction, for its gradient rule: numbers, or an input whose elements are known
/// only at run time.
class ReducedAxes {
 public:
  ReducedAxes(const GradientContext& g, std::int64_t axes_input_since) {
    const std::int64_t rank = g.rank(g.input(0));
    keep_ = g.attributes().integer("keepdims", 1) != 0;
    keeps_all_ = g.attributes().integer("noop_with_empty_axes", 0) != 0;
    axes_ = g.attributes().integers("axes");
    if (g.opset() >= axes_input_since && g.has_input(1)) {
      const auto known = g.integers(1);
      if (!known) {
        operand_ = g.input(1);
        return;
      }
      axes_ = *known;
    }
    for (std::int64_t& axis : axes_) axis = axis < 0 ? axis + rank : axis;
    if (axes_.empty() && !keeps_all_) axes_ = all_axes(rank);
    std::sort(axes_.begin(), axes_.end());
  }

  /// Whether no axis is reduced.
  bool none() const { return !operand_.valid() && axes_.empty(); }
  bool known() const { return !operand_.valid(); }
  const std::vector<std::int64_t>& numbers() const { return axes_; }

  /// A result (or its gradient) with the reduced axes restored as axes of size 1. A list of axes
  /// that is known only at run time may turn out to be empty, which means all axes. Then no axis is
  /// restored; the result stays a scalar, which is broadcast.
  ValueId kept(GradientContext& g, ValueId result) const {
    if (keep_ || none()) return result;
    return known() ? g.unsqueeze(result, axes_) : g.add("Unsqueeze", {result, operand_});
  }

  /// The sum over the reduced axes, which stay as axes of size 1.
  ValueId sum(GradientContext& g, ValueId value) const {
    if (known()) return g.reduce_sum(value, axes_, true);
    return g.add("ReduceSum", {value, operand_},
                 {{"keepdims", std::int64_t{1}},
                  {"noop_with_empty_axes", std::int64_t{keeps_all_ ? 1 : 0}}});
  }

 private:
  ValueId operand_;
  std::vector<std::int64_t> axes_;
  bool keep_ = true;
  bool keeps_all_ = false;
};

void reduce_sum_gradient(GradientContext& g) {
  const ReducedAxes axes(g, 13);
  g.give(0, g.add("Expand", {axes.kept(g, g.gradient()), g.shape_of(g.input(0))}));
}

/// The number of elements that are averaged into one mean: a constant, or computed from the shapes.
ValueId reduced_count(GradientContext& g, const ReducedAxes& axes) {
  const ElementType element = g.type(g.input(0)).element;
  if (!axes.known()) {
    const ValueId sizes = g.add("Size", {g.input(0)});
    return g.cast(g.add("Div", {sizes, g.add("Size", {g.output()})}), element);
  }
  const Shape& shape = g.shape(g.input(0));
  Expr count = 1;
  for (const std::int64_t axis : axes.numbers()) {
    count = count * shape[static_cast<std::size_t>(axis)];
  }
  if (const auto number = count.integer()) {
    return g.scalar_like(g.input(0), static_cast<double>(*number));
  }
  const ValueId sizes = g.add("Gather", {g.shape_of(g.input(0)), g.int64s(axes.numbers())});
  return g.cast(g.add("ReduceProd", {sizes}, {{"keepdims", std::int64_t{0}}}), element);
}

void reduce_mean_gradient(GradientContext& g) {
  const ReducedAxes axes(g, 18);
  const ValueId share = g.add("Div", {axes.kept(g, g.gradient()), reduced_count(g, axes)});
  g.give(0, g.add("Expand", {share, g.shape_of(g.input(0))}));
}

/// The gradient goes in equal parts to all elements that equal the extreme, like PyTorch's amax.
void reduce_extreme_gradient(GradientContext& g) {
  const ReducedAxes axes(g, 18);
  // If `axes` is empty, the sum below would reduce all axes.
  if (axes.none()) return g.give(0, g.gradient());
  const ElementType element = g.type(g.input(0)).element;
  const ValueId chosen = g.cast(g.add("Equal", {g.input(0), axes.kept(g, g.output())}), element);
  const ValueId share = g.add("Div", {axes.kept(g, g.gradient()), axes.sum(g, chosen)});
  g.give(0, g.add("Mul", {chosen, share}));
}

/// d|x|_2 = x / |x|_2
void reduce_l2_gradient(GradientContext& g) {
  const ReducedAxes axes(g, 18);
  const ValueId share = g.add("Div", {axes.kept(g, g.gradient()), axes.kept(g, g.output())});
  g.give(0, g.add("Mul", {g.input(0), share}));
}

/// d|x|_1 = sign(x)
void reduce_l1_gradient(GradientContext& g) {
  const ReducedAxes axes(g, 18);
  g.give(0, g.add("Mul", {g.add("Sign", {g.input(0)}), axes.kept(g, g.gradient())}));
}

void reduce_sum_square_gradient(GradientContext& g) {
  const ReducedAxes axes(g, 18);
  const ValueId twice = g.add("Mul", {g.input(0), g.scalar_like(g.input(0), 2)});
  g.give(0, g.add("Mul", {twice, axes.kept(g, g.gradient())}));
}

/// The derivative is exp(x - y).
void reduce_log_sum_exp_gradient(GradientContext& g) {
  const ReducedAxes axes(g, 18);
  const ValueId weights = g.add("Exp", {g.add("Sub", {g.input(0), axes.kept(g, g.output())})});
  g.give(0, g.add("Mul", {weights, axes.kept(g, g.gradient())}));
}

/// The derivative is 1 / sum = exp(-y).
void reduce_log_sum_gradient(GradientContext& g) {
  const ReducedAxes axes(g, 18);
  const ValueId slope = g.add("Exp", {g.add("Neg", {axes.kept(g, g.output())})});
  const ValueId share = g.add("Mul", {axes.kept(g, g.gradient()), slope});
  g.give(0, g.add("Expand", {share, g.shape_of(g.input(0))}));
}

/// The axis comes from an input, not from an attribute.
template <std::size_t axis_input = 1>
void infer_cumulative(ShapeContext& context) {
  infer_like_first_input(context);
  const Contents* const axis = context.contents(axis_input);
  if (axis != nullptr && axis->size() != 1) context.fail("its axis is not a single number");
  if (const auto number = context.integer(axis_input)) context.axis(*number, context.rank(0));
}

/// (gradient, data, axis) -> gradient of the data
void infer_cum_prod_grad(ShapeContext& context) {
  context.require_same_shape(0, 1);
  infer_cumulative<2>(context);
}

/// The gradient is the running sum in the opposite direction.
void cum_sum_gradient(GradientContext& g) {
  const std::int64_t reverse = g.attributes().integer("reverse", 0);
  g.give(0, g.add("CumSum", {g.gradient(), g.input(1)},
                  {{"exclusive", g.attributes().integer("exclusive", 0)},
                   {"reverse", std::int64_t{reverse == 0}}}));
}

/// (gradient, data, axis) -> gradient of the data
void cum_prod_gradient(GradientContext& g) {
  g.give(0, g.add_microsoft("CumProdGrad", {g.gradient(), g.input(0), g.input(1)}, g.attributes()));
}

/// @tparam flops operations per input element
template <int flops = 1, std::int64_t axes_input_since = 18>
Op reduce(const char* type, void (*gradient)(GradientContext&)) {
  return {.type = type,
          .versions = {1, 11, 12, 13, 18, 20},
          .operands = {{1, "data:number|bool -> reduced"},
                       {axes_input_since, "data:number|bool axes?:int64[0..1] -> reduced"}},
          .infer = infer_reduce<axes_input_since>,
          .gradient = gradient,
          .flops = flops_per_input_element<flops>};
}

}  // namespace

void add_reduction_ops(OpRegistry& registry) {
  Op sum = reduce<1, 13>("ReduceSum", reduce_sum_gradient);
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
  registry.add(reduce<2>("ReduceL2", reduce_l2_gradient));
  registry.add(reduce<2>("ReduceSumSquare", reduce_sum_square_gradient));
  registry.add(reduce<7>("ReduceLogSumExp", reduce_log_sum_exp_gradient));
  registry.add(reduce<2>("ReduceL1", reduce_l1_gradient));
  registry.add(reduce("ReduceLogSum", reduce_log_sum_gradient));
  for (const char* type : {"ArgMax", "ArgMin"}) {
    registry.add({.type = type,
                  .versions = {1, 11, 12, 13},
                  .operands = "data:number[1..] -> reduced",
                  .infer = infer_arg_extreme,
                  .stops_gradients = true,
                  .flops = flops_per_input_element<1>});
  }
  registry.add({.type = "CumSum",
                .versions = {11, 14},
                .operands = "x:number[1..] axis:index[0..1] -> y",
                .infer = infer_cumulative<>,
                .gradient = cum_sum_gradient,
                .in_place = {},
                .recompute = RecomputeLevel::basic,
                .recompute_rules = {{{11, 14}, {1}}}});
  registry.add({.type = "CumProd",
                .versions = {26},
                .operands = "x:number[1..] axis:index[0..1] -> y",
                .infer = infer_cumulative<>,
                .gradient = cum_prod_gradient});
  registry.add(microsoft({.type = "CumProdGrad",
                          .operands = "dY:float[1..] x=dY[1..] axis:index[0..1] -> dX",
                          .infer = infer_cum_prod_grad,
                          .flops = flops_per_element<4>}));
  registry.add({.type = "TopK",
                .versions = {1, 10, 11, 24},
                .operands = {{1, "X:number[1..] -> values indices?"},
                             {10, "X:number[1..] K:int64[0..1] -> values indices?"}},
                .infer = infer_top_k,
                .gradient = top_k_gradient,
                .flops = flops_per_input_element<1>});
}

}  // namespace stashscope
