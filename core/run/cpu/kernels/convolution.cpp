// Convolutions and their gradients.

#include "core/run/cpu/kernels/families.h"
#include "core/run/cpu/primitives/convolve.h"
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

/// The gradient of the bias: per channel, the sum of the gradients of all elements to which it was
/// added.
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

/// A transposed convolution swaps the roles: dY is the data of a convolution whose result is X.
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
