// Operators that only training graphs have: the boundary between forward and backward pass, the
// accumulation of gradients, the axes of broadcasts, early gradient operators, and operators that
// are known only by name. Optimizers with rules are in optimizer.cpp.

#include <algorithm>

#include "core/graph/micro_batches.h"
#include "core/ops/families/families.h"
#include "core/ops/rules/rules.h"

namespace stashscope {

namespace {

/// The inputs of a YieldOp that have a gradient, in the order of the YieldOp's outputs.
std::vector<std::size_t> differentiable_inputs(const Node& node) {
  const Integers excluded = node.attributes.integers("non_differentiable_outputs");
  std::vector<std::size_t> inputs;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    const auto index = static_cast<std::int64_t>(i);
    if (std::find(excluded.begin(), excluded.end(), index) == excluded.end()) inputs.push_back(i);
  }
  return inputs;
}

/// Each gradient has the type of its forward output.
void infer_yield(ShapeContext& context) {
  const std::vector<std::size_t> inputs = differentiable_inputs(context.node());
  const std::size_t count = std::min(inputs.size(), context.output_count());
  for (std::size_t i = 0; i < count; ++i) context.outputs()[i].type = context.type(inputs[i]);
}

std::optional<std::size_t> shares_returned_value(const Graph&, const Node& node,
                                                 std::size_t output) {
  const std::vector<std::size_t> inputs = differentiable_inputs(node);
  return output < inputs.size() ? std::optional(inputs[output]) : std::nullopt;
}

/// 1 for a size of 1, else 0.
Expr is_one(const Expr& size) { return maximum(size * (Expr(2) - size), 0); }

/// The axes along which each of two shapes was broadcast.
void infer_broadcast_gradient_args(ShapeContext& context) {
  const Contents* const a = context.contents(0);
  const Contents* const b = context.contents(1);
  for (std::size_t i = 0; i < context.output_count(); ++i) {
    context.set_element(i, ElementType::int64);
  }
  if (a == nullptr || b == nullptr) {
    for (std::size_t i = 0; i < context.output_count(); ++i) {
      context.set_shape(i, {context.unknown_dim()});
    }
    return;
  }
  const std::size_t rank = std::max(a->size(), b->size());
  const auto dim = [&](const Contents& dims, std::size_t axis) {
    const bool present = axis + dims.size() >= rank;
    return present ? std::optional(dims[axis + dims.size() - rank]) : std::nullopt;
  };
  for (const std::size_t side : {0U, 1U}) {
    if (!context.has_output(side)) continue;
    Contents axes;
    Expr count = 0;
    for (std::size_t axis = 0; axis < rank; ++axis) {
      const auto own = dim(side == 0 ? *a : *b, axis);
      const auto other = dim(side == 0 ? *b : *a, axis);
      const bool differs = own && other && *own != *other;
      // A symbolic size may be 1 at run time.
      const Expr is_broadcast = !own      ? Expr(1)
                                : differs ? is_one(*own) * (Expr(1) - is_one(*other))
                                          : Expr(0);
      if (is_broadcast.is(1)) axes.push_back(static_cast<std::int64_t>(axis));
      count = count + is_broadcast;
    }
    const bool is_known = count.integer().has_value();
    context.set_shape(side, {std::move(count)});
    if (is_known) context.set_contents(side, std::move(axes));
  }
}

/// (sum so far, value, [do update]) -> new sum
void infer_accumulator(ShapeContext& context) {
  context.require_same_shape(0, 1);
  context.require_same_element(0, 1);
  context.set_like_input(0, 0);
}

/// A step that is split into micro-batches adds up its gradients in place, in buffers that it
/// keeps.
std::optional<std::size_t> shares_kept_sum(const Graph& graph, const Node& node, std::size_t) {
  const MicroBatches* const split = graph.data().micro_batches.get();
  if (split == nullptr) return std::nullopt;
  const auto& sums = split->sums;
  const bool is_sum = std::ranges::find(sums, node.inputs[0], &GradientSum::buffer) != sums.end();
  return is_sum ? std::optional<std::size_t>(0) : std::nullopt;
}

/// (buffer, gradient, [overwrite]) -> updated flag, [new buffer]
void infer_accumulator_v2(ShapeContext& context) {
  context.require_same_shape(0, 1);
  context.require_same_element(0, 1);
  context.set(0, ElementType::boolean, {1});
  if (context.has_output(1)) context.set_like_input(1, 0);
}

/// The buffer is an input, but it is also written.
double accumulated_bytes(const CostContext& cost) {
  return 2 * cost.bytes_of_input(0) + cost.bytes_of_input(1);
}

Op graph_op(std::string type, const char* operands, void (*infer)(ShapeContext&)) {
  return microsoft({.type = std::move(type),
                    .operands = operands,
                    .infer = infer,
                    .stops_gradients = true,
                    .flops = no_flops});
}

/// (x, gradient of the reshaped x) -> gradient of x
void infer_reshape_grad(ShapeContext& context) {
  context.set(0, context.element(1), context.shape(0));
  if (!context.has_shape(1)) return;
  context.same_dim(*element_count(context.type(0)), *element_count(context.type(1)),
                   "the numbers of elements of the data and of its gradient");
}

/// (gradient, a, b) -> gradients of a and b; unwanted gradients are omitted
void infer_div_grad(ShapeContext& context) {
  for (const std::size_t side : {0U, 1U}) {
    context.require_broadcastable(side + 1, context.shape(0));
    if (context.has_output(side)) context.set_like_input(side, side + 1);
  }
}

/// (y, gradient) -> gradient, all of one shape
void infer_tanh_grad(ShapeContext& context) {
  context.require_same_shape(0, 1);
  infer_like_first_input(context);
}

Op gradient_op(std::string type, const char* operands, void (*infer)(ShapeContext&),
               double (*flops)(const CostContext&)) {
  return {.type = std::move(type),
          .versions = {9},
          .operands = operands,
          .infer = infer,
          .flops = flops};
}

/// Gradient operators that early training graphs have in the default domain.
void add_early_gradient_ops(OpRegistry& registry) {
  registry.add(gradient_op("ReshapeGrad", "X dY -> dX", infer_reshape_grad, no_flops));
  registry.add(gradient_op("DivGrad", "dY:float A=dY B=dY -> dA? dB?", infer_div_grad,
                           flops_per_input_element<5>));
  registry.add(
      gradient_op("TanhGrad", "Y:float dY=Y -> dX", infer_tanh_grad, flops_per_element<3>));
}

}  // namespace

void add_training_ops(OpRegistry& registry) {
  add_early_gradient_ops(registry);
  Op yield = graph_op("YieldOp", "outputs* -> gradients*", infer_yield);
  yield.alias = shares_returned_value;
  yield.bytes = no_bytes;
  registry.add(std::move(yield));
  Op axes =
      graph_op("BroadcastGradientArgs", "a_shape:int64[1] b_shape:int64[1] -> a_axes? b_axes?",
               infer_broadcast_gradient_args);
  axes.bytes = no_bytes;
  registry.add(std::move(axes));
  Op accumulator =
      graph_op("InPlaceAccumulator", "sum:float value:float update?:bool[0..1] -> new_sum",
               infer_accumulator);
  accumulator.flops = nullptr;
  accumulator.alias = shares_kept_sum;
  accumulator.alias_is_view = false;
  accumulator.in_place = {{0, 0}};
  registry.add(std::move(accumulator));
  Op accumulator_v2 = graph_op("InPlaceAccumulatorV2",
                               "buffer:float gradient:float overwrite?:bool[0..1] -> "
                               "updated new_buffer?",
                               infer_accumulator_v2);
  accumulator_v2.flops = flops_per_input_element<1, 1>;
  accumulator_v2.bytes = accumulated_bytes;
  registry.add(std::move(accumulator_v2));
  for (const char* type : {"AdamWOptimizer", "SGDOptimizerV2", "PythonOp", "PythonOpGrad"}) {
    registry.add(graph_op(type, "operands*?:value -> results*", nullptr));
  }
}

}  // namespace stashscope
