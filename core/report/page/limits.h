#pragma once

#include <cstddef>

namespace stashscope {

/// Limits that keep a page small. The page says what was left out.
struct PageLimits {
  std::size_t columns = 1000;  ///< columns of the memory curve
  /// Approximate bytes of page text for tensors and their groups. Groups get at most half of them.
  std::size_t tensor_bytes = 1 << 20;
  std::size_t rows = 1000;          ///< rows of each table
  std::size_t arena_pieces = 2000;  ///< rectangles in the picture of the static arena
};

}  // namespace stashscope
