#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/graph/graph.h"

namespace stashscope {

/// The reference's optimization types, as numbered in config strings.
enum class PlanType : std::uint8_t { none = 0, recompute = 1, compromise = 2 };

/// One way to free the stashed outputs of a node: make them again from what is there in backward.
struct NodePlan {
  PlanType type = PlanType::none;
  NodeId node;                       ///< the entry
  std::vector<std::size_t> outputs;  ///< positions of its stashed outputs
  std::vector<NodeId> subgraph;  ///< nodes to clone, in topological order; the entry is the last
  std::string cluster;           ///< op types of the subgraph, each followed by `+`
  Rational save_ratio = 1;       ///< share of the stashed bytes that is freed
  /// Stashed outputs that share the buffer of another node's output: saving them needs that node's
  /// plan.
  std::map<std::size_t, ValueId> reused;
};

/// Why a stashed output has no plan.
struct Obstacle {
  NodeId entry;
  NodeId stopped_at;  ///< the node that the search could not pass
  std::string rule;   ///< one clause
};

/// How far opportunities are looked for.
struct Probe {
  int level = 1;                ///< 0: basic operators, 1: advanced ones too
  bool layer_boundary = false;  ///< outputs that start a transformer layer are kept

  friend bool operator==(const Probe&, const Probe&) = default;
};

/// `L[:B]`; empty is 0. Throws a usage Error in the reference's words.
Probe parse_probe(const std::string& text);
std::string to_string(const Probe& probe);

}  // namespace stashscope
