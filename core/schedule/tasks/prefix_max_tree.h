#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace stashscope {

/// Live bytes by slot, stored as changes from slot to slot, with a fast maximum. A tree over the
/// slots: each node keeps the sum of its changes and the largest prefix sum among them. Updates
/// only mark nodes as stale; a query of the maximum recomputes all stale nodes once.
class PrefixMaxTree {
 public:
  /// @param change live bytes of each slot minus the live bytes of the previous slot
  explicit PrefixMaxTree(std::span<const std::int64_t> change);

  /// Adds `bytes` to `slot` and to all later slots. @pre 0 <= slot <= number of slots
  void add_from(std::size_t slot, std::int64_t bytes);

  std::int64_t largest() const;
  /// The first slot with the maximum.
  std::size_t largest_slot() const;

 private:
  static constexpr std::size_t branches = 4;
  static constexpr std::size_t slots_in_leaf = 8;  // 64 bytes, the size of the 4 children of a node

  struct Node {
    std::int64_t sum = 0;
    std::int64_t largest = 0;

    bool operator==(const Node&) const = default;
  };

  Node sum_of_slots(std::size_t leaf) const;
  Node sum_of_branches(std::size_t node) const;
  Node fresh(std::size_t node) const;
  void settle() const;

  std::size_t slots_;
  std::size_t first_leaf_ = 0;  ///< index of the first leaf; all later nodes are leaves, too
  std::vector<std::int64_t> change_;
  mutable std::vector<Node> nodes_;  ///< children of node n start at branches * n + 1
  mutable std::vector<std::uint8_t> is_stale_;
  mutable std::vector<std::uint32_t> stale_;  ///< stale nodes, leaves first
};

}  // namespace stashscope
