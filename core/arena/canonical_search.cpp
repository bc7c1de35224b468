#include "core/arena/canonical_search.h"

#include <algorithm>
#include <array>
#include <limits>

namespace stashscope {

namespace {

constexpr std::int64_t unplaced = -1;
constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();

}  // namespace

CanonicalSearch::CanonicalSearch(const std::vector<ArenaBuffer>& buffers)
    : buffers_(buffers),
      sections_(sections_of(buffers)),
      members_(members_of(sections_)),
      neighbours_(neighbours_of(sections_)),
      solution_(buffers.size()) {}

ArenaAnswer CanonicalSearch::search(std::int64_t capacity, ArenaClock& clock) {
  constexpr std::array<Order, 3> orders = {{
      {Measure::width, Measure::area, Measure::total},
      {Measure::total, Measure::area, Measure::width},
      {Measure::total, Measure::width, Measure::area},
  }};
  capacity_ = capacity;
  clock_ = &clock;
  for (auto moves = static_cast<std::int64_t>(buffers_.size());; moves *= 2) {
    for (const Order& order : orders) {
      order_ = order;
      const ArenaAnswer answer = search_with(2 * moves);
      if (answer != ArenaAnswer::unknown || clock.is_over()) return answer;
    }
  }
}

void CanonicalSearch::start() {
  offsets_.assign(buffers_.size(), unplaced);
  lows_.assign(buffers_.size(), 0);
  floors_.assign(at(sections_.count), 0);
  totals_.assign(at(sections_.count), 0);
  crossings_.assign(at(sections_.count), 0);
  is_marked_.assign(at(sections_.count), false);
  low_changes_.clear();
  floor_changes_.clear();
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    for (int s = sections_.first[i]; s < sections_.last[i]; ++s)
      totals_[at(s)] += buffers_[i].bytes;
    change_crossings(static_cast<int>(i), 1);
  }
}

void CanonicalSearch::change_crossings(int buffer, int by) {
  for (int s = sections_.first[at(buffer)]; s + 1 < sections_.last[at(buffer)]; ++s) {
    crossings_[at(s)] += by;
  }
}

ArenaAnswer CanonicalSearch::search_with(std::int64_t moves) {
  start();
  moves_left_ = moves;
  std::vector<int> all(buffers_.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int>(i);
  const Part whole{0, sections_.count, std::move(all)};
  if (!is_possible(whole, 0)) return ArenaAnswer::impossible;
  std::vector<int> cuts;
  for (int s = 0; s < sections_.count; ++s) {
    if (crossings_[at(s)] == 0) cuts.push_back(s + 1);
  }
  return search_pieces(whole, cuts);
}

double CanonicalSearch::measure(Measure measure, int buffer) const {
  const ArenaBuffer& each = buffers_[at(buffer)];
  const double width = static_cast<double>(each.upper) - static_cast<double>(each.lower);
  if (measure == Measure::width) return width;
  if (measure == Measure::area) return width * static_cast<double>(each.bytes);
  return static_cast<double>(*std::max_element(totals_.begin() + sections_.first[at(buffer)],
                                               totals_.begin() + sections_.last[at(buffer)]));
}

CanonicalSearch::Part CanonicalSearch::sorted_part(int begin, int end,
                                                   std::vector<int> buffers) const {
  using Key = std::pair<std::array<double, 3>, int>;
  std::vector<Key> keys;
  keys.reserve(buffers.size());
  for (const int buffer : buffers) {
    keys.push_back(
        {{-measure(order_[0], buffer), -measure(order_[1], buffer), -measure(order_[2], buffer)},
         buffer});
  }
  std::sort(keys.begin(), keys.end());
  std::transform(keys.begin(), keys.end(), buffers.begin(),
                 [](const Key& key) { return key.second; });
  return {begin, end, std::move(buffers)};
}

std::vector<CanonicalSearch::Candidate> CanonicalSearch::candidates(const Part& part,
                                                                    const Candidate& last) const {
  std::int64_t lowest_top = none;
  for (const int buffer : part.buffers) {
    if (offsets_[at(buffer)] != unplaced) continue;
    lowest_top = std::min(lowest_top, lows_[at(buffer)] + buffers_[at(buffer)].bytes);
  }
  std::vector<Candidate> found;
  for (std::size_t i = 0; i < part.buffers.size(); ++i) {
    const auto buffer = at(part.buffers[i]);
    if (offsets_[buffer] != unplaced || lows_[buffer] >= lowest_top) continue;
    const Candidate candidate{lows_[buffer], static_cast<int>(i)};
    if (candidate >= last) found.push_back(candidate);
  }
  std::sort(found.begin(), found.end());
  return found;
}

bool CanonicalSearch::is_repeated(const Part& part, const std::vector<Candidate>& all,
                                  std::size_t index) const {
  const auto buffer = at(part.buffers[at(all[index].position)]);
  for (std::size_t i = index; i-- > 0 && all[i].offset == all[index].offset;) {
    const auto other = at(part.buffers[at(all[i].position)]);
    if (buffers_[other].bytes == buffers_[buffer].bytes &&
        sections_.first[other] == sections_.first[buffer] &&
        sections_.last[other] == sections_.last[buffer]) {
      return true;
    }
  }
  return false;
}

void CanonicalSearch::raise_neighbours(int buffer, std::int64_t top) {
  for (const int* other = neighbours_.begin(at(buffer)); other != neighbours_.end(at(buffer));
       ++other) {
    if (offsets_[at(*other)] != unplaced || lows_[at(*other)] >= top) continue;
    low_changes_.push_back({*other, lows_[at(*other)]});
    lows_[at(*other)] = top;
  }
}

/// Marks the sections whose floors may rise: after `raise_neighbours`, each section of a raised
/// buffer that could lie at or below the section's floor before. `from` is the index of the first
/// raise in `low_changes_`.
void CanonicalSearch::mark_sections(std::size_t from) {
  for (std::size_t i = from; i < low_changes_.size(); ++i) {
    const Change& change = low_changes_[i];
    for (int s = sections_.first[at(change.index)]; s < sections_.last[at(change.index)]; ++s) {
      if (change.before <= floors_[at(s)]) mark(s);
    }
  }
}

void CanonicalSearch::mark(int section) {
  if (is_marked_[at(section)]) return;
  is_marked_[at(section)] = true;
  marked_.push_back(section);
}

void CanonicalSearch::raise_floors() {
  for (const int s : marked_) {
    is_marked_[at(s)] = false;
    std::int64_t lowest = none;
    for (const int* each = members_.begin(at(s)); each != members_.end(at(s)); ++each) {
      if (offsets_[at(*each)] == unplaced) lowest = std::min(lowest, lows_[at(*each)]);
    }
    if (lowest == none || floors_[at(s)] >= lowest) continue;
    floor_changes_.push_back({s, floors_[at(s)]});
    floors_[at(s)] = lowest;
  }
  marked_.clear();
}

void CanonicalSearch::place(int buffer, std::int64_t offset) {
  offsets_[at(buffer)] = offset;
  const std::int64_t top = offset + buffers_[at(buffer)].bytes;
  const std::size_t changes = low_changes_.size();
  raise_neighbours(buffer, top);
  mark_sections(changes);
  for (int s = sections_.first[at(buffer)]; s < sections_.last[at(buffer)]; ++s) {
    floor_changes_.push_back({s, floors_[at(s)]});
    floors_[at(s)] = top;
    totals_[at(s)] -= buffers_[at(buffer)].bytes;
    mark(s);
  }
  raise_floors();
}

void CanonicalSearch::take_back(int buffer, std::size_t lows, std::size_t floors) {
  for (; low_changes_.size() > lows; low_changes_.pop_back()) {
    lows_[at(low_changes_.back().index)] = low_changes_.back().before;
  }
  for (; floor_changes_.size() > floors; floor_changes_.pop_back()) {
    floors_[at(floor_changes_.back().index)] = floor_changes_.back().before;
  }
  for (int s = sections_.first[at(buffer)]; s < sections_.last[at(buffer)]; ++s) {
    totals_[at(s)] += buffers_[at(buffer)].bytes;
  }
  offsets_[at(buffer)] = unplaced;
}

/// Whether another buffer must still be placed above this one.
bool CanonicalSearch::is_below_others(int buffer) const {
  const std::int64_t own = buffers_[at(buffer)].bytes;
  for (int s = sections_.first[at(buffer)]; s < sections_.last[at(buffer)]; ++s) {
    if (totals_[at(s)] > own) return true;
  }
  return false;
}

/// Whether all sections have room if the buffer lies at `offset`, as far as this can be told
/// without placing it.
bool CanonicalSearch::may_lie(const Part& part, int buffer, std::int64_t offset) const {
  const int first = sections_.first[at(buffer)];
  const int last = sections_.last[at(buffer)];
  for (int s = first; s < last; ++s) {
    if (offset > capacity_ - totals_[at(s)]) return false;
  }
  return has_room(part.begin, first, offset) && has_room(last, part.end, offset);
}

bool CanonicalSearch::has_room(int begin, int end, std::int64_t level) const {
  for (int s = begin; s < end; ++s) {
    if (std::max(level, floors_[at(s)]) > capacity_ - totals_[at(s)]) return false;
  }
  return true;
}

bool CanonicalSearch::is_possible(const Part& part, std::int64_t level) const {
  return has_room(part.begin, part.end, level);
}

ArenaAnswer CanonicalSearch::search(const Part& part, const Candidate& last) {
  if (moves_left_-- <= 0 || ((moves_left_ & 63) == 0 && clock_->is_over())) {
    return ArenaAnswer::unknown;
  }
  clock_->count(1);
  const std::vector<Candidate> all = candidates(part, last);
  if (all.empty()) {
    const bool is_done = std::all_of(part.buffers.begin(), part.buffers.end(),
                                     [&](int buffer) { return offsets_[at(buffer)] != unplaced; });
    return is_done ? ArenaAnswer::placed : ArenaAnswer::impossible;
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (is_repeated(part, all, i)) continue;
    bool has_hat = false;
    const ArenaAnswer answer = try_candidate(part, all[i], has_hat);
    if (answer != ArenaAnswer::impossible) return answer;
    if (!has_hat) break;
  }
  return ArenaAnswer::impossible;
}

ArenaAnswer CanonicalSearch::try_candidate(const Part& part, const Candidate& candidate,
                                           bool& has_hat) {
  const int buffer = part.buffers[at(candidate.position)];
  has_hat = is_below_others(buffer);
  if (!may_lie(part, buffer, candidate.offset)) return ArenaAnswer::impossible;
  const std::size_t lows = low_changes_.size();
  const std::size_t floors = floor_changes_.size();
  place(buffer, candidate.offset);
  ArenaAnswer answer = ArenaAnswer::impossible;
  if (is_possible(part, candidate.offset)) {
    solution_[at(buffer)] = candidate.offset;
    change_crossings(buffer, -1);
    answer = descend(part, candidate);
    change_crossings(buffer, 1);
  }
  take_back(buffer, lows, floors);
  return answer;
}

ArenaAnswer CanonicalSearch::descend(const Part& part, const Candidate& last) {
  const int buffer = part.buffers[at(last.position)];
  std::vector<int> cuts;
  for (int s = sections_.first[at(buffer)]; s + 1 < sections_.last[at(buffer)]; ++s) {
    if (crossings_[at(s)] == 0) cuts.push_back(s + 1);
  }
  return cuts.empty() ? search(part, last) : search_pieces(part, cuts);
}

ArenaAnswer CanonicalSearch::search_pieces(const Part& part, const std::vector<int>& cuts) {
  int begin = part.begin;
  for (std::size_t i = 0; i <= cuts.size(); ++i) {
    const int end = i < cuts.size() ? cuts[i] : part.end;
    std::vector<int> inside;
    for (const int buffer : part.buffers) {
      const bool is_inside =
          sections_.first[at(buffer)] >= begin && sections_.last[at(buffer)] <= end;
      if (offsets_[at(buffer)] == unplaced && is_inside) inside.push_back(buffer);
    }
    if (!inside.empty()) {
      const ArenaAnswer answer = search(sorted_part(begin, end, std::move(inside)), {});
      if (answer != ArenaAnswer::placed) return answer;
    }
    begin = end;
  }
  return ArenaAnswer::placed;
}

}  // namespace stashscope
