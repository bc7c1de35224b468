#pragma once

#include <cstddef>

namespace stashscope {

/// What a page holds at most, so that it stays small. The page says what was left out.
struct PageLimits {
  std::size_t columns = 1000;          ///< of the memory curve
  std::size_t tensor_bytes = 1 << 20;  ///< of the page's text for tensors, about
  std::size_t rows = 1000;             ///< of a table
};

}  // namespace stashscope
