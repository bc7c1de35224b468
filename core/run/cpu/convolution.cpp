// Convolutions and their gradients.

#include "core/ops/window.h"
#include "core/run/cpu/convolve.h"
#include "core/run/cpu/families.h"
#include "core/run/cpu/numbers.h"

namespace stashscope::cpu {

namespace {

using Dims = std::vector<std::int64_t>;

Dims spatial(const Dims& dims) { return {dims.begin() + 2, dims.end()}; }

/// All but the pads of the convolution from data of dims `in` to a result of dims `out`.
ConvolutionSizes sizes_between(const Attributes& attributes, const Window& window, const Dims& in,
                               const Dims& out) {
  return {.batch = in[0],
          .groups = attributes.integer("group", 1),
          .in_channels = in[1],
          .out_channels = out[1],
          .window = {.in = spatial(in),
                     .out = spatial(out),
                     .kernel = window.kernel,
                     .strides = window.strides,
                     .dilations = window.dilations,
                     .pads = {}}};
}

/// x [batch, channels, ...] * w [out channels, channels / groups, ...] = y
ConvolutionSizes conv_sizes(const Attributes& attributes, const Dims& x, const Dims& w,
                            const Dims& y) {
  const Window window = read_window(attributes, spatial(w));
  ConvolutionSizes sizes = sizes_between(attributes, window, x, y);
  for (std::size_t axis = 0; axis < window.kernel.size(); ++axis) {
    sizes.window.pads.push_back(padding(window, axis, sizes.window.in[axis]).first);
  }
  return sizes;
}

/// How much a transposed convolution cuts off before its result. (ONNX, ConvTranspose) A result
/// that is asked to be longer than it could be is filled up at its end, as ONNX Runtime does.
std::int64_t transposed_padding(const Attributes& attributes, const Window& window,
                                std::size_t axis, std::int64_t x, std::int64_t y) {
  const bool fixed = !attributes.integers("output_shape").empty();
  const bool same = window.auto_pad == "SAME_UPPER" || window.auto_pad == "SAME_LOWER";
  if (!fixed && !same) return window.pads[axis];
  const Integers extra = attributes.integers("output_padding");
  const std::int64_t extent = (window.kernel[axis] - 1) * window.dilations[axis] + 1;
  const std::int64_t made =
      (x - 1) * window.strides[axis] + (extra.empty() ? 0 : extra[axis]) + extent;
  const std::int64_t total = std::max<std::int64_t>(0, made - y);
  return window.auto_pad == "SAME_UPPER" ? total / 2 : total - total / 2;
}

/// The convolution that leads from the result y of a transposed convolution back to its data x, of
/// which it is the gradient; w [channels of x, channels of y / groups, ...].
ConvolutionSizes transposed_sizes(const Attributes& attributes, const Dims& x, const Dims& w,
                                  const Dims& y) {
  const Window window = read_window(attributes, spatial(w));
  ConvolutionSizes sizes = sizes_between(attributes, window, y, x);
  for (std::size_t axis = 0; axis < window.kernel.size(); ++axis) {
    sizes.window.pads.push_back(
        transposed_padding(attributes, window, axis, x[axis + 2], y[axis + 2]));
  }
  return sizes;
}

/// y[batch, channel, ...] += bias[channel]
template <class C>
void add_bias(const TensorView& bias, const Dims& dims, C* y) {
  const std::vector<C> items = numbers_of<C>(bias);
  const std::int64_t plane = positions(spatial(dims));
  for (std::int64_t image = 0; image < dims[0]; ++image) {
    for (const C item : items) {
      for (std::int64_t i = 0; i < plane; ++i) y[i] += item;
      y += plane;
    }
  }
}

/// The sum of all that the bias of a channel was added to.
void bias_gradient(const TensorView& dy, const TensorView& out) {
  const std::int64_t plane = positions(spatial(dy.dims));
  std::vector<double> sums(static_cast<std::size_t>(dy.dims[1]), 0);
  with_real(dy.element, [&](auto tag) {
    using C = typename decltype(tag)::type;
    const Converted<C> gradient(dy);
    const C* next = gradient.data();
    for (std::int64_t image = 0; image < dy.dims[0]; ++image) {
      for (double& sum : sums) {
        for (std::int64_t i = 0; i < plane; ++i) sum += static_cast<double>(*next++);
      }
    }
  });
  store_numbers(sums, out);
}

/// Inputs X, W, [B]; `product(y, x, w)` leaves the bias out.
template <class Product>
void convolution(const KernelContext& context, Product product) {
  const auto with_bias = [&](auto* y, const auto* x, const auto* w) {
    product(y, x, w);
    if (context.has_input(2)) add_bias(context.in(2), context.out().dims, y);
  };
  compute_real(context.out(), with_bias, context.in(0), context.in(1));
}

void conv(const KernelContext& context) {
  const ConvolutionSizes sizes =
      conv_sizes(context.attributes(), context.in(0).dims, context.in(1).dims, context.out().dims);
  convolution(context, [&](auto* y, const auto* x, const auto* w) { convolve(sizes, x, w, y); });
}

void conv_transpose(const KernelContext& context) {
  const ConvolutionSizes sizes = transposed_sizes(context.attributes(), context.in(0).dims,
                                                  context.in(1).dims, context.out().dims);
  convolution(context, [&](auto* y, const auto* x, const auto* w) {
    convolve_backward_data(sizes, x, w, y);
  });
}

/// (dY, X, W) -> dX, dW, dB, by `data_gradient(dx, dy, w)` and `weight_gradient(dw, dy, x)`.
template <class DataGradient, class WeightGradient>
void convolution_gradient(const KernelContext& context, DataGradient data_gradient,
                          WeightGradient weight_gradient) {
  const TensorView& dy = context.in(0);
  if (context.has_output(0)) compute_real(context.out(0), data_gradient, dy, context.in(2));
  if (context.has_output(1)) compute_real(context.out(1), weight_gradient, dy, context.in(1));
  if (context.has_output(2)) bias_gradient(dy, context.out(2));
}

void conv_grad(const KernelContext& context) {
  const ConvolutionSizes sizes =
      conv_sizes(context.attributes(), context.in(1).dims, context.in(2).dims, context.in(0).dims);
  convolution_gradient(
      context,
      [&](auto* dx, const auto* dy, const auto* w) { convolve_backward_data(sizes, dy, w, dx); },
      [&](auto* dw, const auto* dy, const auto* x) { convolve_backward_weight(sizes, dy, x, dw); });
}

/// The roles are swapped: what arrives is the data of a convolution whose result is X.
void conv_transpose_grad(const KernelContext& context) {
  const ConvolutionSizes sizes = transposed_sizes(context.attributes(), context.in(1).dims,
                                                  context.in(2).dims, context.in(0).dims);
  convolution_gradient(
      context, [&](auto* dx, const auto* dy, const auto* w) { convolve(sizes, dy, w, dx); },
      [&](auto* dw, const auto* dy, const auto* x) { convolve_backward_weight(sizes, x, dy, dw); });
}

}  // namespace

void add_convolution_kernels(KernelRegistry& registry) {
  registry.add("", "Conv", {conv});
  registry.add("", "ConvTranspose", {conv_transpose});
  registry.add("com.microsoft", "ConvGrad", {conv_grad});
  registry.add("com.microsoft", "ConvTransposeGrad", {conv_transpose_grad});
}

}  // namespace stashscope::cpu
