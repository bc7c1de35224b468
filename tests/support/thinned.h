#pragma once

#include <cstddef>
#include <initializer_list>
#include <ranges>
#include <string>
#include <vector>

#include "tests/support/sanitizer.h"

namespace stashscope::test {

/// The cases of a suite that runs whole models. With a sanitizer, models take long and mostly run
/// the same code, so only every fourth case is left. Without one, all cases are.
template <std::ranges::random_access_range Cases>
auto thinned(const Cases& all) {
  std::vector<std::ranges::range_value_t<Cases>> left;
  const std::size_t step = sanitized ? 4 : 1;
  for (std::size_t i = 0; i < std::ranges::size(all); i += step) left.push_back(all[i]);
  return left;
}

/// The same for names in braces.
inline std::vector<std::string> thinned(std::initializer_list<const char*> all) {
  return thinned(std::vector<std::string>(all.begin(), all.end()));
}

}  // namespace stashscope::test
