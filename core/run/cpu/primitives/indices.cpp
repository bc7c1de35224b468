#include "core/run/cpu/primitives/indices.h"

#include <cstring>

namespace stashscope::cpu {

std::int64_t wrapped(std::int64_t index, std::int64_t size) {
  const std::int64_t at = index < 0 ? index + size : index;
  if (at < 0 || at >= size) {
    fail_run("", "index " + std::to_string(index) + " is outside of " + std::to_string(size) +
                     " elements");
  }
  return at;
}

std::vector<std::int64_t> wrapped_indices(const TensorView& indices, std::int64_t size) {
  std::vector<std::int64_t> list = as_integers(indices);
  for (std::int64_t& index : list) index = wrapped(index, size);
  return list;
}

void gather_rows(const TensorView& data, const AxisSplit& split,
                 const std::vector<std::int64_t>& indices, const TensorView& out) {
  const std::size_t row = static_cast<std::size_t>(split.inner) * element_size(data.element);
  std::byte* to = out.data;
  for (std::int64_t outer = 0; outer < split.outer; ++outer) {
    for (const std::int64_t index : indices) {
      std::memcpy(to, data.data + static_cast<std::size_t>(outer * split.size + index) * row, row);
      to += row;
    }
  }
}

}  // namespace stashscope::cpu
