#include "core/schedule/minimal/minimum_cut.h"

#include <algorithm>

namespace stashscope {

void MinimumCut::add_arc(std::size_t from, std::size_t to, std::int64_t capacity) {
  const auto add = [&](std::size_t tail, std::size_t head, std::int64_t left) {
    arcs_.push_back({static_cast<std::uint32_t>(head), first_arc_[tail], left});
    first_arc_[tail] = static_cast<std::uint32_t>(arcs_.size() - 1);
  };
  add(from, to, capacity);
  add(to, from, 0);
}

bool MinimumCut::find_levels(std::size_t source, std::size_t sink) {
  level_.assign(first_arc_.size(), none);
  level_[source] = 0;
  std::vector<std::size_t> queue = {source};
  for (std::size_t i = 0; i < queue.size(); ++i) {
    for (std::uint32_t arc = first_arc_[queue[i]]; arc != none; arc = arcs_[arc].next) {
      const std::uint32_t to = arcs_[arc].to;
      if (arcs_[arc].left == 0 || level_[to] != none) continue;
      level_[to] = level_[queue[i]] + 1;
      queue.push_back(to);
    }
  }
  return level_[sink] != none;
}

/// Pushes flow along one path of the level graph, depth first; dead ends are not visited again.
/// Returns the flow, which is 0 if no path is left.
std::int64_t MinimumCut::push_path(std::size_t source, std::size_t sink) {
  path_.clear();
  std::size_t at = source;
  while (at != sink) {
    std::uint32_t& arc = next_arc_[at];
    const auto leads_on = [&] {
      return arcs_[arc].left > 0 && level_[arcs_[arc].to] == level_[at] + 1;
    };
    while (arc != none && !leads_on()) arc = arcs_[arc].next;
    if (arc != none) {
      path_.push_back(arc);
      at = arcs_[arc].to;
    } else if (path_.empty()) {
      return 0;
    } else {
      at = arcs_[path_.back() ^ 1U].to;
      path_.pop_back();
      next_arc_[at] = arcs_[next_arc_[at]].next;
    }
  }
  std::int64_t flow = unbounded;
  for (const std::uint32_t arc : path_) flow = std::min(flow, arcs_[arc].left);
  for (const std::uint32_t arc : path_) {
    arcs_[arc].left -= flow;
    arcs_[arc ^ 1U].left += flow;
  }
  return flow;
}

std::int64_t MinimumCut::separate(std::size_t source, std::size_t sink) {
  std::int64_t total = 0;
  while (find_levels(source, sink)) {
    next_arc_ = first_arc_;
    while (const std::int64_t flow = push_path(source, sink)) total += flow;
  }
  return total;
}

}  // namespace stashscope
