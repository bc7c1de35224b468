#pragma once

#include <cstddef>
#include <ranges>
#include <vector>

#include "tests/support/sanitizer.h"

namespace stashscope::test {

/// The cases of a suite of whole models or long searches. With a sanitizer, these take long and
/// mostly run the same code, so only every fourth case is left. Without one, all cases are.
template <std::ranges::random_access_range Cases>
auto thinned(const Cases& all) {
  std::vector<std::ranges::range_value_t<Cases>> left;
  const std::size_t step = sanitized ? 4 : 1;
  for (std::size_t i = 0; i < std::ranges::size(all); i += step) left.push_back(all[i]);
  return left;
}

}  // namespace stashscope::test
