#pragma once

#include <functional>
#include <span>

#include "core/run/step/mersenne_words.h"

namespace stashscope {

/// Receives the numbers from index `first` on. Several threads call it at once, for different
/// numbers. Must not throw.
using StoreNumbers = std::function<void(std::size_t first, std::span<const float>)>;

/// Draws `count` numbers of mean 0. The numbers, their order and the final state of `words` equal
/// those of one std::normal_distribution<float> of libstdc++. Long draws use all hardware threads,
/// 16 at most.
/// Source: Marsaglia, Bray, "A convenient method for generating normal variables", SIAM Review
/// 6(3), 1964: a pair of numbers from each random point of a square that lies inside its circle.
void draw_normal_numbers(MersenneWords& words, std::size_t count, float deviation,
                         const StoreNumbers& store);

}  // namespace stashscope
