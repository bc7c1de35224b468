#pragma once

#include <string>

#include "core/study/choices/choices.h"

namespace stashscope {

/// The nodes that a planned sequence runs more than once, and the number of extra runs.
struct Repeats {
  std::size_t nodes = 0;
  std::size_t runs = 0;
};
Repeats repeats_of(const Choices& choices);

/// The plans in short: a config string with its --probe value, or the number of repeated nodes.
std::string plan_text(const Choices& choices);

}  // namespace stashscope
