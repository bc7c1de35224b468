#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/arena/arena.h"

namespace stashscope {

/// Buffers and sections are numbered by `int`, which takes half the memory of `std::size_t`.
inline std::size_t at(int index) { return static_cast<std::size_t>(index); }

/// The time of an arena, cut into sections. Each section stands for a largest possible group of
/// buffers that live at the same time; sections are in the order of time. Two buffers overlap in
/// time if and only if they share a section, so a placement needs no other facts about time.
struct ArenaSections {
  int count = 0;
  /// Of each buffer: it lives in the sections [first, last).
  std::vector<int> first;
  std::vector<int> last;
};

ArenaSections sections_of(const std::vector<ArenaBuffer>& buffers);

/// Lists of indices in one flat vector.
struct IndexLists {
  std::vector<std::size_t> begins;  ///< where each list begins in `items`, and where the last ends
  std::vector<int> items;

  const int* begin(std::size_t list) const { return items.data() + begins[list]; }
  const int* end(std::size_t list) const { return items.data() + begins[list + 1]; }
};

/// The buffers that live in each section, ascending.
IndexLists members_of(const ArenaSections& sections);

/// For each buffer, the other buffers that overlap it in time. The memory grows with the number of
/// such pairs.
IndexLists neighbours_of(const ArenaSections& sections);

}  // namespace stashscope
