#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace stashscope {

/// Live bytes by step, of which a stretch can be raised or lowered and the largest is known, both
/// in O(log steps). A segment tree whose inner nodes keep what was added to all of their steps, so
/// that nothing is ever pushed down (bottom-up range addition).
class LiveTree {
 public:
  explicit LiveTree(std::span<const std::int64_t> live_bytes);

  /// To each of the steps [first, last]. @pre first <= last
  void add(std::size_t first, std::size_t last, std::int64_t bytes);

  std::int64_t largest() const { return largest_[1]; }
  /// The first step that has the largest.
  std::size_t largest_step() const;

 private:
  void add_to_node(std::size_t node, std::int64_t bytes);
  void refresh_above(std::size_t node);

  std::size_t leaves_ = 1;
  std::vector<std::int64_t> largest_;  ///< of a node's steps, with what was added to it and below
  std::vector<std::int64_t> added_;    ///< to all steps of an inner node
};

}  // namespace stashscope
