#include "core/run/shared/convolution_sizes.h"

#include <algorithm>

#include "core/ops/rules/window.h"

namespace stashscope::kernels {

namespace {

using Dims = std::vector<std::int64_t>;

Dims spatial(const Dims& dims) { return {dims.begin() + 2, dims.end()}; }

/// The sizes of the convolution that turns data of dims `in` into a result of dims `out`. The pads
/// are left empty.
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

/// The padding that a transposed convolution removes at the start of one axis of its result. (ONNX,
/// ConvTranspose) If the requested result is longer than the range that the windows cover, the
/// padding is 0, as in ONNX Runtime.
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

}  // namespace

ConvolutionSizes conv_sizes(const Attributes& attributes, const Dims& x, const Dims& w,
                            const Dims& y) {
  const Window window = read_window(attributes, spatial(w));
  ConvolutionSizes sizes = sizes_between(attributes, window, x, y);
  for (std::size_t axis = 0; axis < window.kernel.size(); ++axis) {
    sizes.window.pads.push_back(padding(window, axis, sizes.window.in[axis]).first);
  }
  return sizes;
}

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

}  // namespace stashscope::kernels
