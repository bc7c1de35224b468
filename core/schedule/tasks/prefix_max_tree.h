#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace stashscope {

/// Live bytes by step, stated by how much they change at each step, of which the largest is known.
/// A tree over the steps whose nodes keep the sum of their changes and the largest sum of the first
/// ones among them. Changes are only noted; what is above them is summed up again when the largest
/// is asked for, once for all of them.
class PrefixMaxTree {
 public:
  /// @param change by how much more is live at a step than at the one before
  explicit PrefixMaxTree(std::span<const std::int64_t> change);

  /// Raises the step and all behind it; there are none behind the last one.
  void add_from(std::size_t step, std::int64_t bytes);

  std::int64_t largest() const;
  /// The first step that has the largest.
  std::size_t largest_step() const;

 private:
  static constexpr std::size_t branches = 4;
  static constexpr std::size_t steps_in_leaf = 8;  // of 64 bytes, like the branches of a node

  struct Node {
    std::int64_t sum = 0;
    std::int64_t largest = 0;

    bool operator==(const Node&) const = default;
  };

  Node sum_of_steps(std::size_t leaf) const;
  Node sum_of_branches(std::size_t node) const;
  Node fresh(std::size_t node) const;
  void settle() const;

  std::size_t steps_;
  std::size_t first_leaf_ = 0;  ///< the nodes from here on have steps below them
  std::vector<std::int64_t> change_;
  mutable std::vector<Node> nodes_;  ///< those below node n are branches * n + 1 and following
  mutable std::vector<std::uint8_t> is_stale_;
  mutable std::vector<std::uint32_t> stale_;  ///< the lowest first
};

}  // namespace stashscope
