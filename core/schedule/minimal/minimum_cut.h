#pragma once

#include <cstdint>
#include <limits>
#include <vector>

namespace stashscope {

/// The cheapest set of arcs that separates a source from a sink, by maximum flow (Dinic: Algorithm
/// for solution of a problem of maximum flow in networks with power estimation, 1970).
class MinimumCut {
 public:
  static constexpr std::int64_t unbounded = std::numeric_limits<std::int64_t>::max() / 4;

  explicit MinimumCut(std::size_t nodes) : first_arc_(nodes, none) {}

  void add_arc(std::size_t from, std::size_t to, std::int64_t capacity);

  /// Capacity of the cut. @pre not called before; some cut is below `unbounded`
  std::int64_t separate(std::size_t source, std::size_t sink);
  /// Whether a node is on the source's side of the cut. @pre separate was called
  bool is_before(std::size_t node) const { return level_[node] != none; }

 private:
  struct Arc {
    std::uint32_t to;
    std::uint32_t next;  ///< next arc of the same node
    std::int64_t left;   ///< residual capacity
  };
  static constexpr std::uint32_t none = static_cast<std::uint32_t>(-1);

  bool find_levels(std::size_t source, std::size_t sink);
  std::int64_t push_path(std::size_t source, std::size_t sink);

  std::vector<std::uint32_t> first_arc_;
  std::vector<Arc> arcs_;  ///< arc 2 k + 1 is the reverse of arc 2 k
  std::vector<std::uint32_t> level_;
  std::vector<std::uint32_t> next_arc_;
  std::vector<std::uint32_t> path_;
};

}  // namespace stashscope
