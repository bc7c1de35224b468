#pragma once

#include <vector>

#include "core/ops/rules/shape_context.h"

namespace stashscope {

/// A sliding window over the spatial axes, as convolutions and poolings share it. One entry per
/// axis.
struct Window {
  std::vector<std::int64_t> kernel;
  std::vector<std::int64_t> strides;
  std::vector<std::int64_t> dilations;
  std::vector<std::int64_t> pads;  ///< all begins, then all ends
  std::string auto_pad;            ///< NOTSET, VALID, SAME_UPPER or SAME_LOWER
  bool ceil_mode = false;
};

/// Reads the attributes `strides`, `dilations`, `pads`, `auto_pad`, `ceil_mode` with their
/// defaults. Throws an input Error for a stride or dilation below 1 or a list of the wrong length.
Window read_window(const Attributes& attributes, std::vector<std::int64_t> kernel);

/// Places of the window along spatial axis `axis` of size `size`. Fails when there is none.
Expr window_count(ShapeContext& context, const Window& window, std::size_t axis, const Expr& size);

/// The padding before and after an axis of `size`, with auto_pad worked out. For runners.
std::pair<std::int64_t, std::int64_t> padding(const Window& window, std::size_t axis,
                                              std::int64_t size);

}  // namespace stashscope
