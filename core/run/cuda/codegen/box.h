#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace stashscope::cuda {

/// One axis of a box. A box is a grid of positions at which several tensors are accessed together.
/// `steps` holds the stride of each tensor along the axis, in elements: 0 repeats an element, a
/// negative stride runs backwards.
template <std::size_t tensors>
struct BoxAxis {
  std::int64_t size = 1;
  std::array<std::int64_t, tensors> steps{};
};

template <std::size_t tensors>
using Box = std::vector<BoxAxis<tensors>>;

/// Makes a box of `sizes`, outermost axis first. Two adjacent axes are merged if one stride per
/// tensor covers both axes; axes of size 1 are dropped.
template <std::size_t tensors>
Box<tensors> merged_box(std::span<const std::int64_t> sizes,
                        const std::array<std::vector<std::int64_t>, tensors>& strides) {
  Box<tensors> box;
  for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
    if (sizes[axis] == 1) continue;
    BoxAxis<tensors> next{sizes[axis], {}};
    for (std::size_t k = 0; k < tensors; ++k) next.steps[k] = strides[k][axis];
    bool even = !box.empty();
    for (std::size_t k = 0; even && k < tensors; ++k) {
      even = box.back().steps[k] == next.steps[k] * next.size;
    }
    if (even) next.size *= box.back().size;
    if (even) box.pop_back();
    box.push_back(next);
  }
  return box;
}

template <std::size_t tensors>
std::int64_t elements_of(const Box<tensors>& box) {
  std::int64_t count = 1;
  for (const BoxAxis<tensors>& axis : box) count *= axis.size;
  return count;
}

/// The text of the C++ type BoxAxis<...> (kernels/boxes.cuh) for each axis, innermost first. For a
/// box of one tensor, the steps of the second tensor are 0.
template <std::size_t tensors>
std::vector<std::string> axis_texts(const Box<tensors>& box) {
  std::vector<std::string> texts;
  for (std::size_t i = box.size(); i-- > 0;) {
    const auto& axis = box[i];
    texts.push_back("BoxAxis<" + std::to_string(axis.size) + ", " + std::to_string(axis.steps[0]) +
                    ", " + std::to_string(tensors > 1 ? axis.steps[tensors - 1] : 0) + ">");
  }
  return texts;
}

}  // namespace stashscope::cuda
