#include "core/schedule/tasks/prefix_max_tree.h"

#include <algorithm>

namespace stashscope {

PrefixMaxTree::PrefixMaxTree(std::span<const std::int64_t> change) : slots_(change.size()) {
  std::size_t leaves = 1;
  // Padding slots change nothing, so they are never the first maximum.
  for (; leaves * slots_in_leaf < slots_; leaves *= branches) {
    first_leaf_ = branches * first_leaf_ + 1;
  }
  change_.assign(leaves * slots_in_leaf, 0);
  std::copy(change.begin(), change.end(), change_.begin());
  nodes_.resize(first_leaf_ + leaves);
  is_stale_.assign(nodes_.size(), 0);
  for (std::size_t node = nodes_.size(); node > 0; --node) nodes_[node - 1] = fresh(node - 1);
}

PrefixMaxTree::Node PrefixMaxTree::sum_of_slots(std::size_t leaf) const {
  const std::int64_t* change = change_.data() + leaf * slots_in_leaf;
  Node node{change[0], change[0]};
  for (std::size_t i = 1; i < slots_in_leaf; ++i) {
    node.sum += change[i];
    node.largest = std::max(node.largest, node.sum);
  }
  return node;
}

PrefixMaxTree::Node PrefixMaxTree::sum_of_branches(std::size_t node) const {
  const Node* below = nodes_.data() + branches * node + 1;
  Node all = below[0];
  for (std::size_t i = 1; i < branches; ++i) {
    all.largest = std::max(all.largest, all.sum + below[i].largest);
    all.sum += below[i].sum;
  }
  return all;
}

PrefixMaxTree::Node PrefixMaxTree::fresh(std::size_t node) const {
  return node >= first_leaf_ ? sum_of_slots(node - first_leaf_) : sum_of_branches(node);
}

void PrefixMaxTree::add_from(std::size_t slot, std::int64_t bytes) {
  if (slot >= slots_) return;
  change_[slot] += bytes;
  const std::size_t node = first_leaf_ + slot / slots_in_leaf;
  if (is_stale_[node] != 0) return;
  is_stale_[node] = 1;
  stale_.push_back(static_cast<std::uint32_t>(node));
}

void PrefixMaxTree::settle() const {
  // Children come before their parents, so each node is recomputed once.
  for (std::size_t i = 0; i < stale_.size(); ++i) {
    const std::size_t node = stale_[i];
    is_stale_[node] = 0;
    const Node sum = fresh(node);
    if (nodes_[node] == sum) continue;
    nodes_[node] = sum;
    if (node == 0) break;
    const std::size_t above = (node - 1) / branches;
    if (is_stale_[above] != 0) continue;
    is_stale_[above] = 1;
    stale_.push_back(static_cast<std::uint32_t>(above));
  }
  stale_.clear();
}

std::int64_t PrefixMaxTree::largest() const {
  settle();
  return nodes_[0].largest;
}

std::size_t PrefixMaxTree::largest_slot() const {
  settle();
  std::size_t node = 0;
  std::int64_t wanted = nodes_[0].largest;
  while (node < first_leaf_) {
    node = branches * node + 1;
    for (; nodes_[node].largest != wanted; ++node) wanted -= nodes_[node].sum;
  }
  std::size_t slot = (node - first_leaf_) * slots_in_leaf;
  for (; change_[slot] != wanted; ++slot) wanted -= change_[slot];
  return slot;
}

}  // namespace stashscope
