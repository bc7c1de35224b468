#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <vector>

#include "core/arena/arena.h"
#include "core/arena/arena_clock.h"
#include "core/arena/sections.h"

namespace stashscope {

enum class ArenaAnswer {
  placed,
  impossible,  ///< proven: no placement has this capacity
  unknown,     ///< the limit ended the search
};

/// An exact search for a placement within a capacity, after
///   M. D. Moffitt: MiniMalloc: A Lightweight Memory Allocator for Hardware-Accelerated Machine
///   Learning, ASPLOS 2023, doi:10.1145/3623278.3624752.
/// It looks only at canonical placements: buffers are placed in the order of their offsets, each at
/// the lowest offset above the placed buffers that it overlaps in time. A branch ends where
///   - a section's floor plus the bytes still to place there exceed the capacity (section
///     inference); the floor is at least the offset that was placed last (monotonic floor) and at
///     least the lowest offset of what is still to place there (unallocated floor),
///   - another buffer still fits below the offset at which a buffer would start (dominance),
///   - a buffer failed, and no buffer that is still to place can lie above it (hatless pruning),
///   - an equal buffer failed at the same offset.
/// Where no buffer that is still to place crosses from a section to the next, both sides are
/// searched on their own. Several orders of the candidates take turns with growing numbers of
/// moves.
class CanonicalSearch {
 public:
  explicit CanonicalSearch(const std::vector<ArenaBuffer>& buffers);

  /// Searches until there is an answer or `clock` is over. Counts the moves on `clock`.
  ArenaAnswer search(std::int64_t capacity, ArenaClock& clock);

  /// The offsets, after a search that placed all buffers.
  const std::vector<std::int64_t>& offsets() const { return solution_; }

 private:
  /// Buffers to place in the sections [begin, end), in the order in which they are tried.
  struct Part {
    int begin = 0;
    int end = 0;
    std::vector<int> buffers;
  };

  /// A buffer to try next. Candidates compare by offset, then by their position in the part.
  struct Candidate {
    std::int64_t offset = 0;
    int position = 0;

    friend auto operator<=>(const Candidate&, const Candidate&) = default;
  };

  struct Change {
    int index = 0;
    std::int64_t before = 0;
  };

  /// The quantities by which buffers are sorted, from large to small. `width` is the lifetime,
  /// `area` is the lifetime times the bytes. `total` is the largest number of bytes that are still
  /// to place in one of the sections of the lifetime. An order says which quantity counts first.
  enum class Measure { total, area, width };
  using Order = std::array<Measure, 3>;

  ArenaAnswer search_with(std::int64_t moves);
  void start();
  Part sorted_part(int begin, int end, std::vector<int> buffers) const;
  double measure(Measure measure, int buffer) const;
  ArenaAnswer search(const Part& part, const Candidate& last);
  ArenaAnswer try_candidate(const Part& part, const Candidate& candidate, bool& has_hat);
  std::vector<Candidate> candidates(const Part& part, const Candidate& last) const;
  bool is_repeated(const Part& part, const std::vector<Candidate>& all, std::size_t index) const;
  void place(int buffer, std::int64_t offset);
  void raise_neighbours(int buffer, std::int64_t top);
  void mark_sections(std::size_t from);
  void mark(int section);
  void raise_floors();
  void take_back(int buffer, std::size_t lows, std::size_t floors);
  bool is_below_others(int buffer) const;
  bool may_lie(const Part& part, int buffer, std::int64_t offset) const;
  bool has_room(int begin, int end, std::int64_t level) const;
  bool is_possible(const Part& part, std::int64_t level) const;
  ArenaAnswer descend(const Part& part, const Candidate& last);
  ArenaAnswer search_pieces(const Part& part, const std::vector<int>& cuts);
  void change_crossings(int buffer, int by);

  std::vector<ArenaBuffer> buffers_;
  ArenaSections sections_;
  IndexLists members_;
  IndexLists neighbours_;
  std::vector<std::int64_t> solution_;

  std::int64_t capacity_ = 0;
  ArenaClock* clock_ = nullptr;
  Order order_ = {};
  std::int64_t moves_left_ = 0;

  std::vector<std::int64_t> offsets_;
  std::vector<std::int64_t> lows_;    // of each buffer: the lowest offset that it may get
  std::vector<std::int64_t> floors_;  // of each section: lowest offset for buffers to place
  std::vector<std::int64_t> totals_;  // of each section: bytes of buffers still to place
  std::vector<int> crossings_;        // of each section: buffers to place that cross its end
  std::vector<int> marked_;           // sections whose floors are computed again
  std::vector<bool> is_marked_;
  std::vector<Change> low_changes_;
  std::vector<Change> floor_changes_;
};

}  // namespace stashscope
