// Pooling over windows and over all positions, and the gradients of both.

#include "core/ops/families/families.h"
#include "core/ops/rules/rules.h"
#include "core/ops/rules/window.h"

namespace stashscope {

namespace {

Shape pooled_shape(ShapeContext& context) {
  const Window window =
      read_window(context.attributes(), context.attributes().require_integers("kernel_shape"));
  if (context.rank(0) != std::ssize(window.kernel) + 2) {
    context.fail("the data has shape " + context.text(context.shape(0)) + ", but the kernel has " +
                 std::to_string(window.kernel.size()) + " axes");
  }
  Shape shape = {context.dim(0, 0), context.dim(0, 1)};
  for (std::size_t axis = 0; axis < window.kernel.size(); ++axis) {
    shape.push_back(
        window_count(context, window, axis, context.dim(0, static_cast<std::int64_t>(axis) + 2)));
  }
  return shape;
}

/// Output 1 of MaxPool is the flat index of each maximum in the input.
void infer_pool(ShapeContext& context) {
  context.set_element(0, context.element(0));
  context.set_element(1, ElementType::int64);
  const Shape shape = pooled_shape(context);
  context.set_shape(0, shape);
  context.set_shape(1, shape);
}

/// The size along one axis of the data that was pooled. Assumes that the windows cover the padded
/// data exactly.
Expr unpooled_size(ShapeContext& context, const Window& window, std::size_t axis) {
  const Expr& pooled = context.dim(0, static_cast<std::int64_t>(axis) + 2);
  return (pooled - Expr(1)) * Expr(window.strides[axis]) + Expr(window.kernel[axis]) -
         Expr(window.pads[axis]) - Expr(window.pads[axis + window.kernel.size()]);
}

/// (pooled, indices, [dims]) -> data that is zero where no maximum was
void infer_max_unpool(ShapeContext& context) {
  context.set_element(0, context.element(0));
  const Window window =
      read_window(context.attributes(), context.attributes().require_integers("kernel_shape"));
  if (context.rank(0) != std::ssize(window.kernel) + 2) {
    context.fail("its data and its kernel differ in the number of spatial axes");
  }
  context.require_same_shape(0, 1);
  context.require_length(2, context.rank(0),
                         "the number of dims of its result and the rank of its data");
  if (context.has_input(2)) {
    const Contents* const dims = context.contents(2);
    if (dims == nullptr) throw ShapeUnknown();
    for (const std::size_t axis : {0U, 1U}) {
      context.require_dim((*dims)[axis], context.shape(0)[axis],
                          "the batch or channel sizes of data and result");
    }
    return context.set_shape(0, {dims->begin(), dims->end()});
  }
  Shape shape = {context.dim(0, 0), context.dim(0, 1)};
  for (std::size_t axis = 0; axis < window.kernel.size(); ++axis) {
    shape.push_back(unpooled_size(context, window, axis));
  }
  context.set_shape(0, std::move(shape));
}

/// Each pooled element takes the gradient at the position that its index names.
void max_unpool_gradient(GradientContext& g) {
  if (g.has_input(2)) fail_gradient("MaxUnpool to given dims has no gradient rule");
  const ValueId flat = g.add("Reshape", {g.gradient(), g.int64s({-1})});
  g.give(0, g.add("Gather", {flat, g.input(1)}));
}

void infer_global_pool(ShapeContext& context) {
  context.set_element(0, context.element(0));
  if (context.rank(0) < 3) context.fail("global pooling needs spatial axes");
  Shape shape = {context.dim(0, 0), context.dim(0, 1)};
  shape.resize(context.shape(0).size(), Expr(1));
  context.set_shape(0, std::move(shape));
}

double window_elements(const CostContext& cost) {
  double window = 1;
  for (const std::int64_t size : cost.node.attributes.integers("kernel_shape")) {
    window *= static_cast<double>(size);
  }
  return window;
}

double pool_flops(const CostContext& cost) {
  return window_elements(cost) * cost.output_elements();
}

/// Each gradient is added to every position of its window.
double average_pool_grad_flops(const CostContext& cost) {
  return window_elements(cost) * cost.input_elements(0);
}

/// The gradient operators take the shape of the forward input as their last operand, so that the
/// forward input itself is not stashed.
void infer_from_last_operand(ShapeContext& context) {
  infer_shaped_by(context, context.input_count() - 1, 0);
  const Shape& data = *context.outputs()[0].type.shape;
  if (std::ssize(data) != context.rank(0)) {
    context.fail("the gradient has shape " + context.text(context.shape(0)) +
                 ", but the data has shape " + context.text(data));
  }
  for (const std::size_t axis : {0U, 1U}) {
    context.require_dim(context.shape(0)[axis], data[axis],
                        "the batch or channel sizes of gradient and data");
  }
}

/// Checks that the windows over the data give the gradient's shape.
void infer_average_pool_grad(ShapeContext& context) {
  infer_from_last_operand(context);
  const Shape& data = *context.outputs()[0].type.shape;
  const Window window =
      read_window(context.attributes(), context.attributes().require_integers("kernel_shape"));
  if (window.kernel.size() + 2 != data.size())
    context.fail("its data and its kernel differ in the number of spatial axes");
  for (std::size_t axis = 0; axis < window.kernel.size(); ++axis) {
    context.require_dim(window_count(context, window, axis, data[axis + 2]),
                        context.shape(0)[axis + 2],
                        "the number of windows and the size of the gradient");
  }
}

/// The indices come from the forward pass. Shape inference does not check their elements.
void infer_max_pool_grad(ShapeContext& context) {
  context.require_same_shape(0, 1);
  infer_from_last_operand(context);
}

/// The gradient has one element for each channel of each sample.
void infer_global_pool_grad(ShapeContext& context) {
  infer_from_last_operand(context);
  for (std::int64_t axis = 2; axis < context.rank(0); ++axis) {
    context.require_dim(context.dim(0, axis), 1, "the size of a pooled axis and the required size");
  }
}

void max_pool_gradient(GradientContext& g) {
  if (g.attributes().integer("storage_order", 0) != 0) {
    fail_gradient("MaxPool with column-major indices has no gradient rule");
  }
  const ValueId indices = g.saved_output(1, {ElementType::int64, g.type(g.output()).shape, {}});
  g.give(0, g.add_microsoft("MaxPoolGrad", {g.gradient(), indices, g.shape_of(g.input(0))},
                            g.attributes()));
}

void average_pool_gradient(GradientContext& g) {
  g.give(0, g.add_microsoft("AveragePoolGrad", {g.gradient(), g.shape_of(g.input(0))},
                            g.attributes()));
}

/// Each input position receives an equal share of the gradient of its sample and channel.
void global_average_pool_gradient(GradientContext& g) {
  const Shape& shape = g.shape(g.input(0));
  double positions = 1;
  for (std::size_t i = 2; i < shape.size(); ++i) {
    const auto size = shape[i].integer();
    if (!size) {
      g.give(0, g.add_microsoft("GlobalAveragePoolGrad", {g.gradient(), g.shape_of(g.input(0))}));
      return;
    }
    positions *= static_cast<double>(*size);
  }
  const ValueId share = g.add("Mul", {g.gradient(), g.scalar_like(g.output(), 1 / positions)});
  g.give(0, g.add("Expand", {share, g.shape_of(g.input(0))}));
}

Op pool(std::string type, std::vector<std::int64_t> versions, void (*gradient)(GradientContext&)) {
  return {.type = std::move(type),
          .versions = std::move(versions),
          .operands = "X:number[3..] -> Y",
          .infer = infer_pool,
          .gradient = gradient,
          .flops = pool_flops};
}

}  // namespace

void add_pooling_ops(OpRegistry& registry) {
  Op max_pool = pool("MaxPool", {1, 8, 10, 11, 12, 22}, max_pool_gradient);
  max_pool.operands = "X:number[3..] -> Y indices?";
  registry.add(std::move(max_pool));
  registry.add(pool("AveragePool", {1, 7, 10, 11, 19, 22}, average_pool_gradient));
  registry.add(pool("LpPool", {1, 2, 11, 18, 22}, nullptr));
  registry.add({.type = "MaxUnpool",
                .versions = {9, 11, 22},
                .operands = "X:float[3..] I:int64[3..] output_shape?:int64[1] -> output",
                .infer = infer_max_unpool,
                .gradient = max_unpool_gradient,
                .flops = no_flops});
  registry.add({.type = "GlobalAveragePool",
                .versions = {1, 22},
                .operands = "X:float[3..] -> Y",
                .infer = infer_global_pool,
                .gradient = global_average_pool_gradient,
                .flops = flops_per_input_element<1>});
  registry.add({.type = "GlobalMaxPool",
                .versions = {1, 22},
                .operands = "X:float[3..] -> Y",
                .infer = infer_global_pool,
                .flops = flops_per_input_element<1>});
  Op grad = microsoft({.type = "GlobalAveragePoolGrad",
                       .operands = "dY:float[3..] shape:int64[1] -> dX",
                       .infer = infer_global_pool_grad});
  registry.add(grad);
  grad.type = "MaxPoolGrad";
  grad.operands = "dY:float[3..] indices:int64[3..] shape:int64[1] -> dX";
  grad.infer = infer_max_pool_grad;
  grad.flops = flops_per_input_element<1>;
  registry.add(grad);
  grad.type = "AveragePoolGrad";
  grad.operands = "dY:float[3..] shape:int64[1] -> dX";
  grad.infer = infer_average_pool_grad;
  grad.flops = average_pool_grad_flops;
  registry.add(std::move(grad));
}

}  // namespace stashscope
