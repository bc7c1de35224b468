// Convolutions and their gradients.

#include "core/base/error.h"
#include "core/ops/families/families.h"
#include "core/ops/rules/known_texts.h"
#include "core/ops/rules/rules.h"
#include "core/ops/rules/window.h"

namespace stashscope {

namespace {

/// Positions of a convolution's operands among the inputs of an operator. In the gradient operator,
/// the gradient of the result comes first.
struct Places {
  std::size_t data = 0;
  std::size_t weight = 1;
};

std::vector<std::int64_t> kernel_of(ShapeContext& context, const Places& places) {
  std::vector<std::int64_t> kernel = context.attributes().integers("kernel_shape");
  const std::int64_t axes = context.rank(places.weight) - 2;
  if (!kernel.empty() && std::ssize(kernel) != axes) {
    context.fail("attribute 'kernel_shape' has " + std::to_string(kernel.size()) +
                 " entries for a weight of shape " + context.text(context.shape(places.weight)));
  }
  const bool is_given = !kernel.empty();
  for (std::int64_t axis = 0; axis < axes; ++axis) {
    const Expr& dim = context.dim(places.weight, axis + 2);
    if (is_given) {
      context.require_dim(kernel[static_cast<std::size_t>(axis)], dim,
                          "attribute 'kernel_shape' and the spatial axes of the weight");
      continue;
    }
    const auto size = dim.integer();
    if (!size) throw ShapeUnknown();
    kernel.push_back(*size);
  }
  return kernel;
}

void require_spatial(ShapeContext& context, const Places& places) {
  const std::int64_t rank = context.rank(places.data);
  if (rank < 3 || rank != context.rank(places.weight)) {
    context.fail("has unequal ranks or ranks below 3: data " +
                 context.text(context.shape(places.data)) + ", weight " +
                 context.text(context.shape(places.weight)));
  }
}

std::int64_t group_of(ShapeContext& context) {
  const std::int64_t group = context.attributes().integer("group", 1);
  if (group < 1) context.fail("group " + std::to_string(group) + " is below 1");
  return group;
}

/// The shape of the result for X [batch, channels, ...] and W [out channels, channels / group,
/// ...].
Shape conv_shape(ShapeContext& context, const Places& places) {
  require_spatial(context, places);
  const std::int64_t group = group_of(context);
  const Window window = read_window(context.attributes(), kernel_of(context, places));
  context.same_dim(
      context.dim(places.data, 1), context.dim(places.weight, 1) * Expr(group),
      "the number of data channels and the product of 'group' and the number of weight channels");
  const auto channels = context.dim(places.weight, 0).integer();
  if (channels && *channels % group != 0)
    context.fail("attribute 'group' does not divide the number of output channels");
  Shape shape = {context.dim(places.data, 0), context.dim(places.weight, 0)};
  for (std::size_t axis = 0; axis < window.kernel.size(); ++axis) {
    shape.push_back(window_count(context, window, axis,
                                 context.dim(places.data, static_cast<std::int64_t>(axis) + 2)));
  }
  return shape;
}

/// The shape of the result for X [batch, channels, ...] and W [channels, out channels / group,
/// ...]. (ONNX, ConvTranspose)
Shape transposed_shape(ShapeContext& context, const Places& places) {
  require_spatial(context, places);
  const std::int64_t group = group_of(context);
  const Window window = read_window(context.attributes(), kernel_of(context, places));
  context.same_dim(context.dim(places.data, 1), context.dim(places.weight, 0),
                   "the numbers of channels of the data and the weight");
  const auto channels = context.dim(places.weight, 0).integer();
  if (channels && *channels % group != 0)
    context.fail("attribute 'group' does not divide the number of input channels");
  const std::size_t axes = window.kernel.size();
  const Integers fixed = context.attributes().integers("output_shape");
  Integers extra = context.attributes().integers("output_padding");
  extra.resize(axes, 0);
  const bool same = window.auto_pad == "SAME_UPPER" || window.auto_pad == "SAME_LOWER";
  Shape shape = {context.dim(places.data, 0), context.dim(places.weight, 1) * Expr(group)};
  for (std::size_t i = 0; i < axes; ++i) {
    const Expr& size = context.dim(places.data, static_cast<std::int64_t>(i) + 2);
    const std::int64_t extent = (window.kernel[i] - 1) * window.dilations[i] + 1;
    if (fixed.size() >= axes) {
      shape.push_back(fixed[fixed.size() - axes + i]);
    } else if (same) {
      shape.push_back(size * Expr(window.strides[i]));
    } else {
      shape.push_back((size - Expr(1)) * Expr(window.strides[i]) +
                      Expr(extra[i] + extent - window.pads[i] - window.pads[i + axes]));
    }
  }
  return shape;
}

using ResultShape = Shape (*)(ShapeContext&, const Places&);

/// (X, W, [B]) -> Y
template <ResultShape result>
void infer_conv(ShapeContext& context) {
  context.set_element(0, context.element(0));
  const Shape shape = result(context, {});
  context.require_length(2, shape[1], "the length of the bias and the number of output channels");
  context.set_shape(0, shape);
}

/// (X, W, [zero point of X], [zero point of W]) -> 32-bit sums
void infer_conv_integer(ShapeContext& context) {
  context.set(0, ElementType::int32, conv_shape(context, {}));
}

/// (X with scale and zero point, W with scale and zero point, scale and zero point of Y, [bias]) ->
/// Y
void infer_quantized_conv(ShapeContext& context) {
  const Shape shape = conv_shape(context, {0, 3});
  context.require_length(8, shape[1], "the length of the bias and the number of output channels");
  context.set(0, context.element(7), shape);
}

/// (X [batch, channels, length], W [channels, 1, width], optional bias, optional state) -> Y, and
/// the last `width` - 1 positions as state
void infer_causal_conv(ShapeContext& context) {
  require_known_text(context, "activation", {"none", "silu", "swish"});
  context.set_like_input(0, 0);
  context.set_element(1, context.element(context.has_input(3) ? 3 : 0));
  context.require_dim(context.dim(1, 0), context.dim(0, 1),
                      "the numbers of channels of weights and data");
  context.require_dim(context.dim(1, 1), 1,
                      "the size of the second axis of its weights and the required size");
  context.require_length(2, context.dim(0, 1), "the length of the bias and the number of channels");
  if (context.dim(1, 2).is(0)) context.fail("its weights are empty");
  const Shape state = {context.dim(0, 0), context.dim(0, 1), context.dim(1, 2) - Expr(1)};
  context.require_shape(3, state);
  if (context.has_output(1)) context.set_shape(1, state);
}

/// Flops of a window that slides over `positions` positions. One entry along the first axis of the
/// weight tensor has the weights of one window. At each position, each of these weights takes one
/// multiplication and one addition.
double sliding_flops(double positions, const CostContext& cost, std::size_t weight_input) {
  const auto& weight = cost.input_dims(weight_input);
  if (weight.empty() || weight[0] == 0) return 0;
  return 2 * positions * cost.input_elements(weight_input) / static_cast<double>(weight[0]);
}

double bias_flops(const CostContext& cost) {
  const bool adds = cost.node.inputs.size() > 2 && cost.node.inputs[2].valid();
  return adds ? cost.output_elements() : 0;
}

/// Each output element is a weighted sum over its window.
double conv_flops(const CostContext& cost) {
  return sliding_flops(cost.output_elements(), cost, 1) + bias_flops(cost);
}

double integer_conv_flops(const CostContext& cost) {
  return sliding_flops(cost.output_elements(), cost, 1);
}

double quantized_conv_flops(const CostContext& cost) {
  return sliding_flops(cost.output_elements(), cost, 3);
}

/// Each input element is spread over its window.
double conv_transpose_flops(const CostContext& cost) {
  return sliding_flops(cost.input_elements(0), cost, 1) + bias_flops(cost);
}

/// The flops of (dY, X, W) -> dX, dW, dB. dX and dW each take as many flops as the forward product;
/// dB takes one addition for each element of dY.
/// @param slides input whose elements are the window's positions: 0 for Conv, 1 for ConvTranspose
template <std::size_t slides>
double conv_grad_flops(const CostContext& cost) {
  const double forward = sliding_flops(cost.input_elements(slides), cost, 2);
  const auto wants = [&](std::size_t i) {
    return i < cost.outputs.size() && !cost.outputs[i].empty();
  };
  return (wants(0) ? forward : 0) + (wants(1) ? forward : 0) +
         (wants(2) ? cost.input_elements(0) : 0);
}

/// (dY, X, W) -> dX, dW, dB; unwanted outputs are omitted.
template <ResultShape result>
void infer_conv_grad(ShapeContext& context) {
  for (std::size_t i = 0; i < context.output_count(); ++i) {
    context.set_element(i, context.element(0));
  }
  context.require_shape(0, result(context, {1, 2}));
  if (context.has_output(0)) context.set_shape(0, context.shape(1));
  if (context.has_output(1)) context.set_shape(1, context.shape(2));
  if (context.has_output(2)) context.set_shape(2, {context.dim(0, 1)});
}

template <const char* op_type>
void conv_gradient(GradientContext& g) {
  std::vector<bool> wanted;
  for (std::size_t i = 0; i < 3; ++i) wanted.push_back(g.wants(i));
  const std::vector<ValueId> grads =
      g.add_microsoft(op_type, {g.gradient(), g.input(0), g.input(1)}, wanted, g.attributes());
  for (std::size_t i = 0; i < grads.size(); ++i) {
    if (g.wants(i)) g.give(i, grads[i]);
  }
}

constexpr char conv_grad[] = "ConvGrad";
constexpr char conv_transpose_grad[] = "ConvTransposeGrad";

}  // namespace

void add_convolution_ops(OpRegistry& registry) {
  const char* const operands = "X:float[3..] W=X[3..] B?=X[1] -> Y";
  registry.add({.type = "Conv",
                .versions = {1, 11, 22},
                .operands = operands,
                .infer = infer_conv<conv_shape>,
                .gradient = conv_gradient<conv_grad>,
                .flops = conv_flops,
                .unit = ComputeUnit::matrix});
  registry.add(
      {.type = "ConvInteger",
       .versions = {10},
       .operands = "x:int8|uint8[3..] w:int8|uint8[3..] x_zero_point?=x w_zero_point?=w -> y",
       .infer = infer_conv_integer,
       .stops_gradients = true,
       .flops = integer_conv_flops,
       .unit = ComputeUnit::matrix});
  registry.add({.type = "QLinearConv",
                .versions = {10},
                .operands = "x:int8|uint8[3..] x_scale:float x_zero_point=x w:int8|uint8[3..] "
                            "w_scale:float w_zero_point=w y_scale:float y_zero_point:int8|uint8 "
                            "B?:int32[1] -> y",
                .infer = infer_quantized_conv,
                .stops_gradients = true,
                .flops = quantized_conv_flops,
                .unit = ComputeUnit::matrix});
  registry.add({.type = "CausalConvWithState",
                .versions = {27},
                .operands = "X:float[3] W=X[3] B?=X[1] past_state?=X[3] -> Y present_state?",
                .infer = infer_causal_conv,
                .flops = conv_flops});
  registry.add({.type = "ConvTranspose",
                .versions = {1, 11, 22},
                .operands = operands,
                .infer = infer_conv<transposed_shape>,
                .gradient = conv_gradient<conv_transpose_grad>,
                .flops = conv_transpose_flops,
                .unit = ComputeUnit::matrix});
  Op grad = microsoft({.type = conv_grad,
                       .operands = "dY:float[3..] X=dY[3..] W=dY[3..] -> dX? dW? dB?",
                       .infer = infer_conv_grad<conv_shape>,
                       .flops = conv_grad_flops<0>,
                       .unit = ComputeUnit::matrix});
  registry.add(grad);
  grad.type = conv_transpose_grad;
  grad.infer = infer_conv_grad<transposed_shape>;
  grad.flops = conv_grad_flops<1>;
  registry.add(std::move(grad));
}

}  // namespace stashscope
