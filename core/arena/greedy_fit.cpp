#include "core/arena/greedy_fit.h"

#include <algorithm>
#include <limits>

namespace stashscope {

namespace {

/// The placed buffers, sorted by offset. Each field has its own vector, because a search for room
/// reads only the sections of those buffers that do not overlap in time.
class PlacedBuffers {
 public:
  explicit PlacedBuffers(std::size_t count) {
    offsets_.reserve(count);
    tops_.reserve(count);
    firsts_.reserve(count);
    lasts_.reserve(count);
  }

  /// The lowest offset with `bytes` free in the sections [first, last).
  std::int64_t lowest_room(int first, int last, std::int64_t bytes) const {
    std::int64_t offset = 0;
    for (std::size_t i = 0; i < offsets_.size(); ++i) {
      if (firsts_[i] >= last || lasts_[i] <= first) continue;
      if (offsets_[i] - offset >= bytes) break;
      offset = std::max(offset, tops_[i]);
    }
    return offset;
  }

  void add(std::int64_t offset, std::int64_t bytes, int first, int last) {
    const auto place = std::upper_bound(offsets_.begin(), offsets_.end(), offset);
    const auto index = place - offsets_.begin();
    offsets_.insert(place, offset);
    tops_.insert(tops_.begin() + index, offset + bytes);
    firsts_.insert(firsts_.begin() + index, first);
    lasts_.insert(lasts_.begin() + index, last);
  }

  /// Forgets the buffers that end before a section. @pre no buffer still to place starts before it
  void forget_before(int section) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < offsets_.size(); ++i) {
      if (lasts_[i] <= section) continue;
      offsets_[kept] = offsets_[i];
      tops_[kept] = tops_[i];
      firsts_[kept] = firsts_[i];
      lasts_[kept++] = lasts_[i];
    }
    offsets_.resize(kept);
    tops_.resize(kept);
    firsts_.resize(kept);
    lasts_.resize(kept);
  }

 private:
  std::vector<std::int64_t> offsets_;
  std::vector<std::int64_t> tops_;
  std::vector<int> firsts_;
  std::vector<int> lasts_;
};

/// The buffers that are not stacked yet, sorted by their first section, in blocks. Each block knows
/// its lowest buffer. Stacking a buffer changes only the blocks whose sections overlap its own.
class BuffersToStack {
 public:
  BuffersToStack(const ArenaSections& sections, const std::vector<int>& order) {
    std::vector<int> positions(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) positions[i] = static_cast<int>(i);
    std::stable_sort(positions.begin(), positions.end(), [&](int a, int b) {
      return sections.first[at(order[at(a)])] < sections.first[at(order[at(b)])];
    });
    for (const int position : positions) {
      const std::size_t buffer = at(order[at(position)]);
      waiting_.push_back({0, position, sections.first[buffer], sections.last[buffer]});
    }
    blocks_.resize((waiting_.size() + block_size - 1) / block_size);
    for (std::size_t i = 0; i < blocks_.size(); ++i) update(i);
  }

  struct Waiting {
    std::int64_t offset = 0;  ///< the lowest that it may get
    int position = 0;         ///< in the order
    int first = 0;
    int last = 0;

    bool comes_before(const Waiting& other) const {
      return offset != other.offset ? offset < other.offset : position < other.position;
    }
  };

  /// Takes out the next buffer.
  Waiting take() {
    std::size_t block = 0;
    for (std::size_t i = 1; i < blocks_.size(); ++i) {
      if (waiting_[blocks_[i].lowest].comes_before(waiting_[blocks_[block].lowest])) block = i;
    }
    Waiting& lowest = waiting_[blocks_[block].lowest];
    const Waiting taken = lowest;
    lowest = {std::numeric_limits<std::int64_t>::max(), lowest.position, lowest.first, 0};
    update(block);
    return taken;
  }

  /// Raises the offsets of the buffers that live in the sections [first, last) to at least `top`.
  void raise(int first, int last, std::int64_t top) {
    for (std::size_t block = 0; block < blocks_.size(); ++block) {
      if (waiting_[block * block_size].first >= last) break;
      if (blocks_[block].last <= first) continue;
      raise_in(block, first, last, top);
    }
  }

 private:
  static constexpr std::size_t block_size = 64;

  struct Block {
    std::size_t lowest = 0;  // index of the buffer that comes first
    int last = 0;            // the largest `last` of its buffers
  };

  std::size_t end_of(std::size_t block) const {
    return std::min((block + 1) * block_size, waiting_.size());
  }

  void update(std::size_t block) { raise_in(block, 0, 0, 0); }

  void raise_in(std::size_t block, int first, int last, std::int64_t top) {
    Block found{block * block_size, 0};
    for (std::size_t i = block * block_size; i < end_of(block); ++i) {
      Waiting& each = waiting_[i];
      if (each.first < last && first < each.last) each.offset = std::max(each.offset, top);
      if (each.comes_before(waiting_[found.lowest])) found.lowest = i;
      found.last = std::max(found.last, each.last);
    }
    blocks_[block] = found;
  }

  std::vector<Waiting> waiting_;
  std::vector<Block> blocks_;
};

/// The number of buffers after which a pass asks again whether to stop. Even a pass over tens of
/// thousands of buffers places this many in a hundredth of a second.
constexpr std::size_t round_size = 256;

bool is_stopped(const StopsPass& stops, std::size_t placed) {
  return stops && placed % round_size == 0 && stops();
}

/// For each position in the order: the first section in which any buffer from there on lives.
std::vector<int> first_sections(const ArenaSections& sections, const std::vector<int>& order) {
  std::vector<int> firsts(order.size());
  int first = std::numeric_limits<int>::max();
  for (std::size_t i = order.size(); i-- > 0;) {
    first = std::min(first, sections.first[at(order[i])]);
    firsts[i] = first;
  }
  return firsts;
}

}  // namespace

std::vector<std::int64_t> first_fit(const std::vector<ArenaBuffer>& buffers,
                                    const ArenaSections& sections, const std::vector<int>& order,
                                    std::int64_t most_bytes, const StopsPass& stops) {
  std::vector<std::int64_t> offsets(buffers.size());
  PlacedBuffers placed(buffers.size());
  const std::vector<int> firsts = first_sections(sections, order);
  for (std::size_t position = 0; position < order.size(); ++position) {
    if (is_stopped(stops, position)) return {};
    if (position % round_size == 0) placed.forget_before(firsts[position]);
    const std::size_t i = at(order[position]);
    const std::int64_t offset =
        placed.lowest_room(sections.first[i], sections.last[i], buffers[i].bytes);
    if (offset > most_bytes - buffers[i].bytes) return {};
    offsets[i] = offset;
    placed.add(offset, buffers[i].bytes, sections.first[i], sections.last[i]);
  }
  return offsets;
}

std::vector<std::int64_t> stacked_fit(const std::vector<ArenaBuffer>& buffers,
                                      const ArenaSections& sections, const std::vector<int>& order,
                                      std::int64_t most_bytes, const StopsPass& stops) {
  std::vector<std::int64_t> offsets(buffers.size());
  BuffersToStack waiting(sections, order);
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (is_stopped(stops, i)) return {};
    const BuffersToStack::Waiting next = waiting.take();
    const std::size_t buffer = at(order[at(next.position)]);
    if (next.offset > most_bytes - buffers[buffer].bytes) return {};
    offsets[buffer] = next.offset;
    waiting.raise(next.first, next.last, next.offset + buffers[buffer].bytes);
  }
  return offsets;
}

}  // namespace stashscope
