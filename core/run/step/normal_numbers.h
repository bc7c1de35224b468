#pragma once

#include <functional>
#include <span>

#include "core/run/step/mersenne_words.h"

namespace stashscope {

/// Takes the numbers from the one with index `first` on; called by several threads at once, for
/// different numbers. Must not throw.
using StoreNumbers = std::function<void(std::size_t first, std::span<const float>)>;

/// Draws `count` numbers, the same ones in the same order as one std::normal_distribution<float>
/// of mean 0 draws one by one in GNU's library, and leaves `words` where it would. As many threads
/// as the machine runs at once take part, 16 at most, where there are enough numbers.
/// Source: Marsaglia, Bray, "A convenient method for generating normal variables", SIAM Review
/// 6(3), 1964: a pair of numbers from each point of a square that falls into its circle.
void draw_normal_numbers(MersenneWords& words, std::size_t count, float deviation,
                         const StoreNumbers& store);

}  // namespace stashscope
