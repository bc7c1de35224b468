#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "core/base/id.h"

namespace stashscope {

/// A set of ids as a tree of bits, 64 to a word. A bit of an upper level is set when the word below
/// it is not empty. Inserting an id changes one word per level. Taking the lowest id reads one word
/// per level and changes at most one word per level. 262,144 ids need three levels.
template <class Key>
class IdSet {
 public:
  /// @param size upper bound of the ids, exclusive
  explicit IdSet(std::size_t size) {
    do {
      size = std::max<std::size_t>(1, (size + 63) / 64);
      levels_.emplace_back(size, 0);
    } while (size > 1);
  }

  bool empty() const { return levels_.back()[0] == 0; }

  void insert(Key key) {
    std::size_t at = key.index();
    for (auto& level : levels_) {
      level[at / 64] |= std::uint64_t{1} << (at % 64);
      at /= 64;
    }
  }

  /// @pre !empty()
  Key take_lowest() {
    std::size_t at = 0;
    for (auto level = levels_.rbegin(); level != levels_.rend(); ++level) {
      at = at * 64 + static_cast<std::size_t>(std::countr_zero((*level)[at]));
    }
    erase(at);
    return Key(at);
  }

 private:
  void erase(std::size_t at) {
    for (auto& level : levels_) {
      std::uint64_t& word = level[at / 64];
      word &= ~(std::uint64_t{1} << (at % 64));
      if (word != 0) return;
      at /= 64;
    }
  }

  /// Level 0 has one bit for each id; the last level is a single word.
  std::vector<std::vector<std::uint64_t>> levels_;
};

}  // namespace stashscope
