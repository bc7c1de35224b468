#pragma once

#include <vector>

#include "core/ops/rules/shape_context.h"

namespace stashscope {

/// The sliding window of a convolution or pooling; one entry per spatial axis.
struct Window {
  std::vector<std::int64_t> kernel;
  std::vector<std::int64_t> strides;
  std::vector<std::int64_t> dilations;
  std::vector<std::int64_t> pads;  ///< all begins, then all ends: two entries per axis
  std::string auto_pad;            ///< NOTSET, VALID, SAME_UPPER or SAME_LOWER
  bool ceil_mode = false;
};

/// Reads the attributes `strides`, `dilations`, `pads`, `auto_pad`, `ceil_mode` with their
/// defaults. Throws an input Error for a kernel size, stride or dilation below 1, for a negative
/// padding, for a list of the wrong length, and for an unknown `auto_pad`.
Window read_window(const Attributes& attributes, std::vector<std::int64_t> kernel);

/// The number of window positions along spatial axis `axis` of size `size`. Throws an input Error
/// if the window does not fit into the padded size.
Expr window_count(ShapeContext& context, const Window& window, std::size_t axis, const Expr& size);

/// The padding before and after an axis of `size`, as `pads` or `auto_pad` determine it. For
/// runners.
std::pair<std::int64_t, std::int64_t> padding(const Window& window, std::size_t axis,
                                              std::int64_t size);

}  // namespace stashscope
