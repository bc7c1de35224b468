// Convolutions and their gradients.

#include <cmath>

#include "core/run/cpu/kernels/families.h"
#include "core/run/cpu/primitives/convolve.h"
#include "core/run/cpu/primitives/quantized.h"
#include "core/run/shared/numbers.h"

namespace stashscope::cpu {

namespace {

using Dims = std::vector<std::int64_t>;

Dims spatial(const Dims& dims) { return {dims.begin() + 2, dims.end()}; }

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

/// Computes the gradient of the bias: per channel, the sum of `dy` over all images and positions.
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

/// Inputs X, W, [B]; `product(y, x, w)` computes the result without the bias.
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

/// The exact convolution of quantized operands; scales and zero points may be left out.
std::vector<double> quantized_convolution(const KernelContext& context, const TensorView& x,
                                          const TensorView& w, const TensorView& x_scale,
                                          const TensorView& x_zero, const TensorView& w_scale,
                                          const TensorView& w_zero) {
  const ConvolutionSizes sizes =
      conv_sizes(context.attributes(), x.dims, w.dims, context.out().dims);
  const std::vector<double> data = real_numbers(x, x_scale, x_zero, 1);
  const std::vector<double> weights = real_numbers(w, w_scale, w_zero, 0);
  std::vector<double> y(static_cast<std::size_t>(context.out().elements()), 0);
  convolve(sizes, data.data(), weights.data(), y.data());
  return y;
}

/// Inputs (X, W, [zero point of X], [zero point of W])
void conv_integer(const KernelContext& context) {
  const auto given = [&](std::size_t i) {
    return context.has_input(i) ? context.in(i) : TensorView();
  };
  store_numbers(
      quantized_convolution(context, context.in(0), context.in(1), {}, given(2), {}, given(3)),
      context.out());
}

/// Inputs (X, scale of X, zero point of X, W, scale of W, zero point of W, scale of Y, zero point
/// of Y, [bias]). The bias is quantized with the product of the scales of X and W.
void quantized_conv(const KernelContext& context) {
  std::vector<double> y =
      quantized_convolution(context, context.in(0), context.in(3), context.in(1), context.in(2),
                            context.in(4), context.in(5));
  if (context.has_input(8)) {
    const std::vector<double> bias = real_numbers(context.in(8), context.in(4), {}, 0);
    const double scale = number_of<double>(context.in(1));
    const std::int64_t plane = positions(spatial(context.out().dims));
    for (std::size_t i = 0; i < y.size(); ++i) {
      y[i] += scale * bias[i / static_cast<std::size_t>(plane) % bias.size()];
    }
  }
  store_quantized(y, context.in(6), context.in(7), context.out());
}

/// Inputs X, W and, optionally, bias and state. X has dims [batch, channels, length] and W has dims
/// [channels, 1, width]. An output position depends on the input at that position and at the
/// `width` - 1 positions before it. (ONNX, CausalConvWithState)
void causal_conv(const KernelContext& context) {
  const std::vector<double> x = numbers_of<double>(context.in(0));
  const std::vector<double> w = numbers_of<double>(context.in(1));
  const std::vector<double> bias =
      context.has_input(2) ? numbers_of<double>(context.in(2)) : std::vector<double>();
  const std::int64_t length = context.in(0).dim(2);
  const std::int64_t channels = context.in(0).dim(1);
  const std::int64_t width = context.in(1).dim(2);
  const std::int64_t earlier = width - 1;
  std::vector<double> state(static_cast<std::size_t>(context.in(0).dim(0) * channels * earlier), 0);
  if (context.has_input(3)) state = numbers_of<double>(context.in(3));
  const bool gated = context.attributes().text("activation", "none") != "none";
  std::vector<double> y;
  std::vector<double> last;
  for (std::int64_t row = 0; row < context.in(0).dim(0) * channels; ++row) {
    std::vector<double> line(state.begin() + row * earlier, state.begin() + (row + 1) * earlier);
    line.insert(line.end(), x.begin() + row * length, x.begin() + (row + 1) * length);
    for (std::int64_t i = 0; i < length; ++i) {
      double sum = bias.empty() ? 0 : bias[static_cast<std::size_t>(row % channels)];
      for (std::int64_t k = 0; k < width; ++k) {
        sum += w[static_cast<std::size_t>(row % channels * width + k)] *
               line[static_cast<std::size_t>(i + k)];
      }
      y.push_back(gated ? sum / (1 + std::exp(-sum)) : sum);
    }
    last.insert(last.end(), line.end() - earlier, line.end());
  }
  store_numbers(y, context.out());
  if (context.has_output(1)) store_numbers(last, context.out(1));
}

/// Inputs (dY, X, W), outputs (dX, dW, dB). `data_gradient(dx, dy, w)` computes dX, and
/// `weight_gradient(dw, dy, x)` computes dW.
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

/// `sizes` describes the convolution that maps Y to X. Therefore dX is the result of this
/// convolution for the data dY. dW is the weight gradient of this convolution for the data dY, with
/// X as the gradient of the result.
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
  registry.add("", "ConvInteger", {conv_integer});
  registry.add("", "QLinearConv", {quantized_conv});
  registry.add("", "CausalConvWithState", {causal_conv});
  registry.add("", "ConvTranspose", {conv_transpose});
  registry.add("com.microsoft", "ConvGrad", {conv_grad});
  registry.add("com.microsoft", "ConvTransposeGrad", {conv_transpose_grad});
}

}  // namespace stashscope::cpu
