#include "core/arena/arena_orders.h"

#include <algorithm>
#include <tuple>

namespace stashscope {

namespace {

/// The largest value in any range of a vector, after n log n steps of preparation.
class RangeMaximum {
 public:
  explicit RangeMaximum(std::vector<std::int64_t> values) : rows_{std::move(values)} {
    for (std::size_t width = 1; 2 * width <= rows_.front().size(); width *= 2) {
      const std::vector<std::int64_t>& below = rows_.back();
      std::vector<std::int64_t> row;
      for (std::size_t i = 0; i + width < below.size(); ++i) {
        row.push_back(std::max(below[i], below[i + width]));
      }
      rows_.push_back(std::move(row));
    }
  }

  /// @pre first < last
  std::int64_t operator()(std::size_t first, std::size_t last) const {
    std::size_t row = 0;
    while ((std::size_t{2} << row) <= last - first) ++row;
    return std::max(rows_[row][first], rows_[row][last - (std::size_t{1} << row)]);
  }

 private:
  std::vector<std::vector<std::int64_t>> rows_;  // row r: ranges of 2^r values
};

using Key = std::tuple<double, double>;

double width(const ArenaBuffer& buffer) {
  return static_cast<double>(buffer.upper) - static_cast<double>(buffer.lower);
}

double area(const ArenaBuffer& buffer) { return width(buffer) * static_cast<double>(buffer.bytes); }

Key key_of(const ArenaBuffer& buffer, std::int64_t load, std::int64_t peak, ArenaOrder order) {
  const auto start = static_cast<double>(buffer.lower);
  const auto by_load = -static_cast<double>(load);
  switch (order) {
    case ArenaOrder::start:
      return {start, 0};
    case ArenaOrder::size:
      return {-static_cast<double>(buffer.bytes), 0};
    case ArenaOrder::area:
      return {-area(buffer), 0};
    case ArenaOrder::peak_size:
      if (load == peak) return {0, -static_cast<double>(buffer.upper)};
      return {1, -static_cast<double>(buffer.bytes)};
    case ArenaOrder::load_start:
      return {by_load, start};
    case ArenaOrder::load_area:
      return {by_load, -area(buffer)};
    case ArenaOrder::load_width:
      return {by_load, -width(buffer)};
  }
  return {};
}

}  // namespace

std::vector<std::int64_t> largest_loads(const std::vector<ArenaBuffer>& buffers,
                                        const ArenaSections& sections) {
  std::vector<std::int64_t> loads(static_cast<std::size_t>(sections.count) + 1);
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    loads[static_cast<std::size_t>(sections.first[i])] += buffers[i].bytes;
    loads[static_cast<std::size_t>(sections.last[i])] -= buffers[i].bytes;
  }
  for (std::size_t s = 1; s < loads.size(); ++s) loads[s] += loads[s - 1];
  const RangeMaximum largest(std::move(loads));
  std::vector<std::int64_t> result;
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    result.push_back(largest(static_cast<std::size_t>(sections.first[i]),
                             static_cast<std::size_t>(sections.last[i])));
  }
  return result;
}

std::vector<int> ordered(const std::vector<ArenaBuffer>& buffers,
                         const std::vector<std::int64_t>& loads, ArenaOrder order) {
  const std::int64_t peak = *std::max_element(loads.begin(), loads.end());
  std::vector<std::pair<Key, int>> keys;
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    keys.emplace_back(key_of(buffers[i], loads[i], peak, order), static_cast<int>(i));
  }
  std::sort(keys.begin(), keys.end());
  std::vector<int> result;
  result.reserve(keys.size());
  for (const auto& [key, buffer] : keys) result.push_back(buffer);
  return result;
}

}  // namespace stashscope
