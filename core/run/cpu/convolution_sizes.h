#pragma once

#include "core/run/cpu/sliding_window.h"

namespace stashscope::cpu {

/// All numbers of a convolution of data [batch, in channels, ...] with a weight
/// [out channels, in channels / groups, ...].
struct ConvolutionSizes {
  std::int64_t batch = 0;
  std::int64_t groups = 1;
  std::int64_t in_channels = 0;
  std::int64_t out_channels = 0;
  SlidingWindow window;
};

}  // namespace stashscope::cpu
