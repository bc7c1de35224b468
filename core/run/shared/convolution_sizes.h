#pragma once

#include "core/graph/attributes.h"
#include "core/run/shared/sliding_window.h"

namespace stashscope::kernels {

/// The sizes of a convolution of data [batch, in channels, ...] with a weight
/// [out channels, in channels / groups, ...].
struct ConvolutionSizes {
  std::int64_t batch = 0;
  std::int64_t groups = 1;
  std::int64_t in_channels = 0;
  std::int64_t out_channels = 0;
  SlidingWindow window;
};

/// The sizes of the convolution of x [batch, channels, ...] with w [out channels, channels /
/// groups, ...] to y. The parameters x, w and y are dims.
ConvolutionSizes conv_sizes(const Attributes& attributes, const std::vector<std::int64_t>& x,
                            const std::vector<std::int64_t>& w, const std::vector<std::int64_t>& y);

/// The sizes of the convolution that maps the result y of a transposed convolution to its data x.
/// The transposed convolution is the data gradient of this convolution. w has dims [channels of x,
/// channels of y / groups, ...].
ConvolutionSizes transposed_sizes(const Attributes& attributes, const std::vector<std::int64_t>& x,
                                  const std::vector<std::int64_t>& w,
                                  const std::vector<std::int64_t>& y);

}  // namespace stashscope::kernels
