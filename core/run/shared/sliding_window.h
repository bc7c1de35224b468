#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace stashscope::kernels {

/// A window that slides over the spatial axes of a tensor; every list has one entry per axis.
/// Output position i and kernel position k meet the data at i * stride - pad + k * dilation, unless
/// that position lies outside the data.
struct SlidingWindow {
  std::vector<std::int64_t> in;
  std::vector<std::int64_t> out;
  std::vector<std::int64_t> kernel;
  std::vector<std::int64_t> strides;
  std::vector<std::int64_t> dilations;
  std::vector<std::int64_t> pads;  ///< padding before the data

  std::size_t axes() const { return in.size(); }
};

/// Product of the sizes.
inline std::int64_t positions(const std::vector<std::int64_t>& sizes) {
  std::int64_t count = 1;
  for (const std::int64_t size : sizes) count *= size;
  return count;
}

/// Advances `index` to the next position in row-major order. Returns false after the last position.
inline bool next_position(std::vector<std::int64_t>& index,
                          const std::vector<std::int64_t>& sizes) {
  for (std::size_t axis = sizes.size(); axis-- > 0;) {
    if (++index[axis] < sizes[axis]) return true;
    index[axis] = 0;
  }
  return false;
}

/// Calls `body(output position, data position)`, both flat and in row-major order, for all output
/// positions at which kernel position `at` meets data.
template <class Body>
void for_each_meeting(const SlidingWindow& window, const std::vector<std::int64_t>& at,
                      const Body& body, std::size_t axis = 0, std::int64_t outer_out = 0,
                      std::int64_t outer_in = 0) {
  const std::int64_t begin = at[axis] * window.dilations[axis] - window.pads[axis];
  for (std::int64_t i = 0; i < window.out[axis]; ++i) {
    const std::int64_t position = begin + i * window.strides[axis];
    if (position < 0 || position >= window.in[axis]) continue;
    const std::int64_t out = outer_out * window.out[axis] + i;
    const std::int64_t in = outer_in * window.in[axis] + position;
    if (axis + 1 == window.axes()) {
      body(out, in);
    } else {
      for_each_meeting(window, at, body, axis + 1, out, in);
    }
  }
}

/// Calls `body(flat position, index by axis)` for each kernel position.
template <class Body>
void for_each_kernel_position(const SlidingWindow& window, const Body& body) {
  std::vector<std::int64_t> at(window.axes(), 0);
  std::int64_t flat = 0;
  do {
    body(flat++, at);
  } while (next_position(at, window.kernel));
}

}  // namespace stashscope::kernels
