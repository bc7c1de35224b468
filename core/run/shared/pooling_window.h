#pragma once

#include "core/graph/attributes.h"
#include "core/run/shared/sliding_window.h"

namespace stashscope::kernels {

/// The window that maps data [batch, channels, ...] to the pooled result.
struct Pooling {
  SlidingWindow window;
  std::vector<std::int64_t> pads_after;
  std::int64_t planes = 1;
  std::int64_t in = 1;   ///< positions of a plane of the data
  std::int64_t out = 1;  ///< positions of a plane of the result

  /// @param data, result dims [batch, channels, ...] of both tensors
  Pooling(const Attributes& attributes, const std::vector<std::int64_t>& data,
          const std::vector<std::int64_t>& result);

  /// Calls `body(output position, data position)` for all pairs in which the output's window
  /// contains the data position. The outer loop runs over kernel positions.
  template <class Body>
  void for_each_pair(Body body) const {
    for_each_kernel_position(window, [&](std::int64_t, const std::vector<std::int64_t>& at) {
      for_each_meeting(window, at, body);
    });
  }

  /// Calls `body(plane, offset in the data, offset in the result)` for every plane.
  template <class Body>
  void for_each_plane(Body body) const {
    for (std::int64_t plane = 0; plane < planes; ++plane) body(plane, plane * in, plane * out);
  }
};

}  // namespace stashscope::kernels
