#pragma once

#include <cstdint>
#include <vector>

namespace stashscope::ui {

/// Round numbers of bytes from 0 up to at most `top`, about `count` of them, for grid lines.
std::vector<std::int64_t> byte_ticks(std::int64_t top, int count);

}  // namespace stashscope::ui
