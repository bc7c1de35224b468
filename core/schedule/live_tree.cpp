#include "core/schedule/live_tree.h"

#include <algorithm>
#include <limits>

namespace stashscope {

LiveTree::LiveTree(std::span<const std::int64_t> live_bytes) {
  while (leaves_ < live_bytes.size()) leaves_ *= 2;
  // Leaves that stand for no step must never be the largest, nor wrap around.
  largest_.assign(2 * leaves_, std::numeric_limits<std::int64_t>::min() / 2);
  added_.assign(leaves_, 0);
  std::copy(live_bytes.begin(), live_bytes.end(),
            largest_.begin() + static_cast<std::ptrdiff_t>(leaves_));
  for (std::size_t node = leaves_ - 1; node > 0; --node) {
    largest_[node] = std::max(largest_[2 * node], largest_[2 * node + 1]);
  }
}

void LiveTree::add_to_node(std::size_t node, std::int64_t bytes) {
  largest_[node] += bytes;
  if (node < leaves_) added_[node] += bytes;
}

void LiveTree::refresh_above(std::size_t node) {
  for (node /= 2; node > 0; node /= 2) {
    largest_[node] = std::max(largest_[2 * node], largest_[2 * node + 1]) + added_[node];
  }
}

void LiveTree::add(std::size_t first, std::size_t last, std::int64_t bytes) {
  std::size_t left = first + leaves_;
  std::size_t right = last + leaves_ + 1;
  for (; left < right; left /= 2, right /= 2) {
    if (left % 2 == 1) add_to_node(left++, bytes);
    if (right % 2 == 1) add_to_node(--right, bytes);
  }
  // From the first leaf up, then from the last: where the ways meet, both sides are fresh.
  refresh_above(first + leaves_);
  if (last != first) refresh_above(last + leaves_);
}

std::size_t LiveTree::largest_step() const {
  std::size_t node = 1;
  while (node < leaves_) {
    node *= 2;
    if (largest_[node] < largest_[node + 1]) ++node;
  }
  return node - leaves_;
}

}  // namespace stashscope
