#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace stashscope {

/// Draws the same words as std::mt19937_64, but can skip words quickly. A copy continues from the
/// position of the original.
/// Source: Nishimura, "Tables of 64-bit Mersenne twisters", ACM TOMACS 10(4), 2000.
class MersenneWords {
 public:
  using result_type = std::uint64_t;

  explicit MersenneWords(std::uint64_t seed);

  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return std::numeric_limits<result_type>::max(); }

  result_type operator()() {
    if (next_ == state_.size()) twist();
    std::uint64_t word = state_[next_++];
    word ^= (word >> 29) & 0x5555555555555555U;
    word ^= (word << 17) & 0x71D67FFFEDA60000U;
    word ^= (word << 37) & 0xFFF7EEE000000000U;
    return word ^ (word >> 43);
  }

  void skip(std::size_t words);

 private:
  void twist();

  std::array<std::uint64_t, 312> state_;
  std::size_t next_ = 312;
};

}  // namespace stashscope
