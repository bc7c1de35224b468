#include "core/run/step/mersenne_words.h"

#include <algorithm>

namespace stashscope {

namespace {

/// Joins the upper 33 bits of one word with the lower 31 bits of the next, and applies the
/// generator's linear map (the "twist") to the result.
std::uint64_t twisted(std::uint64_t upper, std::uint64_t lower) {
  const std::uint64_t joined = (upper & 0xFFFFFFFF80000000U) | (lower & 0x7FFFFFFFU);
  return (joined >> 1) ^ ((0 - (lower & 1U)) & 0xB5026F5AA96619E9U);
}

}  // namespace

MersenneWords::MersenneWords(std::uint64_t seed) {
  state_[0] = seed;
  for (std::size_t i = 1; i < state_.size(); ++i) {
    state_[i] = 6364136223846793005U * (state_[i - 1] ^ (state_[i - 1] >> 62)) + i;
  }
}

void MersenneWords::skip(std::size_t words) {
  while (words > 0) {
    if (next_ == state_.size()) twist();
    const std::size_t here = std::min(words, state_.size() - next_);
    next_ += here;
    words -= here;
  }
}

void MersenneWords::twist() {
  constexpr std::size_t half = 156;
  // Loops without index wrap-around, so that compilers vectorize them.
  for (std::size_t i = 0; i < half; ++i) {
    state_[i] = state_[i + half] ^ twisted(state_[i], state_[i + 1]);
  }
  for (std::size_t i = half; i < state_.size() - 1; ++i) {
    state_[i] = state_[i - half] ^ twisted(state_[i], state_[i + 1]);
  }
  state_.back() = state_[half - 1] ^ twisted(state_.back(), state_.front());
  next_ = 0;
}

}  // namespace stashscope
