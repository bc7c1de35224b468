#pragma once

#include <functional>
#include <span>

#include "core/run/step/mersenne_words.h"

namespace stashscope {

/// Stores the given numbers at the indices from `first` on. The function must not throw. Several
/// threads call the function at once, each for other indices.
using StoreNumbers = std::function<void(std::size_t first, std::span<const float>)>;

/// Draws `count` normal numbers of mean 0. The numbers, their order and the final state of `words`
/// are the same as with one std::normal_distribution<float> of libstdc++. Long draws use up to 16
/// threads, but no more than the hardware runs at once.
/// The method draws random points of a square. Each point inside the inscribed circle gives a pair
/// of normal numbers.
/// Source: Marsaglia, Bray, "A convenient method for generating normal variables", SIAM Review
/// 6(3), 1964.
void draw_normal_numbers(MersenneWords& words, std::size_t count, float deviation,
                         const StoreNumbers& store);

}  // namespace stashscope
