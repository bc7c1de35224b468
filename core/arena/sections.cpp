#include "core/arena/sections.h"

#include <algorithm>

namespace stashscope {

namespace {

/// The buffers in the order of their first sections.
std::vector<int> by_first_section(const ArenaSections& sections) {
  std::vector<int> order(sections.first.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return sections.first[static_cast<std::size_t>(a)] <
           sections.first[static_cast<std::size_t>(b)];
  });
  return order;
}

/// Calls `visit(a, b)` for each pair that overlaps in time.
template <class Visit>
void for_each_pair(const ArenaSections& sections, const Visit& visit) {
  const std::vector<int> order = by_first_section(sections);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto a = static_cast<std::size_t>(order[i]);
    for (std::size_t j = i + 1; j < order.size(); ++j) {
      const auto b = static_cast<std::size_t>(order[j]);
      if (sections.first[b] >= sections.last[a]) break;
      visit(a, b);
    }
  }
}

/// One list for each number in `counts`, with room for that many items.
IndexLists with_room(const std::vector<std::size_t>& counts) {
  IndexLists lists;
  lists.begins.assign(1, 0);
  for (const std::size_t count : counts) lists.begins.push_back(lists.begins.back() + count);
  lists.items.resize(lists.begins.back());
  return lists;
}

}  // namespace

ArenaSections sections_of(const std::vector<ArenaBuffer>& buffers) {
  struct End {
    std::int64_t time;
    bool is_start;
    std::size_t buffer;
  };
  std::vector<End> ends;
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    ends.push_back({buffers[i].lower, true, i});
    ends.push_back({buffers[i].upper, false, i});
  }
  std::stable_sort(ends.begin(), ends.end(), [](const End& a, const End& b) {
    return a.time != b.time ? a.time < b.time : a.is_start < b.is_start;
  });
  ArenaSections sections{0, std::vector<int>(buffers.size()), std::vector<int>(buffers.size())};
  bool has_start = false;  // since the last section was closed
  for (const End& each : ends) {
    if (each.is_start) {
      sections.first[each.buffer] = sections.count;
    } else {
      sections.count += has_start ? 1 : 0;
      sections.last[each.buffer] = sections.count;
    }
    has_start = each.is_start;
  }
  return sections;
}

IndexLists members_of(const ArenaSections& sections) {
  std::vector<std::size_t> counts(static_cast<std::size_t>(sections.count));
  const auto for_each = [&](const auto& visit) {
    for (std::size_t i = 0; i < sections.first.size(); ++i) {
      for (int s = sections.first[i]; s < sections.last[i]; ++s) {
        visit(i, static_cast<std::size_t>(s));
      }
    }
  };
  for_each([&](std::size_t, std::size_t s) { ++counts[s]; });
  IndexLists lists = with_room(counts);
  std::vector<std::size_t> next(lists.begins.begin(), lists.begins.end() - 1);
  for_each([&](std::size_t i, std::size_t s) { lists.items[next[s]++] = static_cast<int>(i); });
  return lists;
}

IndexLists neighbours_of(const ArenaSections& sections) {
  std::vector<std::size_t> counts(sections.first.size());
  for_each_pair(sections, [&](std::size_t a, std::size_t b) {
    ++counts[a];
    ++counts[b];
  });
  IndexLists lists = with_room(counts);
  std::vector<std::size_t> next(lists.begins.begin(), lists.begins.end() - 1);
  for_each_pair(sections, [&](std::size_t a, std::size_t b) {
    lists.items[next[a]++] = static_cast<int>(b);
    lists.items[next[b]++] = static_cast<int>(a);
  });
  return lists;
}

}  // namespace stashscope
