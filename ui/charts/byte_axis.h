#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace stashscope::ui {

/// A round number of bytes on an axis.
struct ByteTick {
  std::int64_t bytes = 0;
  std::string text;  ///< such as `1.5 GiB`, in one unit for all ticks; `0` for 0 bytes

  friend bool operator==(const ByteTick&, const ByteTick&) = default;
};

/// Ticks at about `count` round numbers of bytes, from 0 to at most `top`; at least two if `top` is
/// above 0.
std::vector<ByteTick> byte_ticks(std::int64_t top, int count);

}  // namespace stashscope::ui
