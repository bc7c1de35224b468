#pragma once

#include <bit>
#include <cstdint>

namespace stashscope::cuda {

/// The smallest power of two not below `number`.
inline std::int64_t power_of_two(std::int64_t number) {
  return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(number)));
}

}  // namespace stashscope::cuda
