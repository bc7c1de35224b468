#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/graph/graph.h"

namespace stashscope {

/// The reference's optimization types, as numbered in config strings.
/// Offload and compress are ours: the reference refuses them.
enum class PlanType : std::uint8_t {
  none = 0,
  recompute = 1,
  compromise = 2,
  offload = 3,
  compress = 4
};

/// Whether config strings may name the type to the reference.
constexpr bool in_reference(PlanType type) { return type <= PlanType::compromise; }

using ClusterId = Id<struct ClusterTag>;

/// One way to free the stashed outputs of a node: make them again from what is there in backward,
/// or put them away and bring them back.
struct NodePlan {
  PlanType type = PlanType::none;
  NodeId node;                       ///< the entry
  std::vector<std::size_t> outputs;  ///< positions of its stashed outputs
  /// Nodes to clone, in topological order; the entry is the last. Of tensors that are put away:
  /// the nodes that only show them under other dims.
  std::vector<NodeId> subgraph;
  /// Op types of the subgraph, each followed by `+`; of tensors that are put away: the op type of
  /// their node.
  std::string cluster;
  ClusterId cluster_id;     ///< of that name among all opportunities
  Rational save_ratio = 1;  ///< share of the stashed bytes that is freed
  /// Stashed outputs that share the buffer of another node's output: saving them needs that node's
  /// plan.
  std::map<std::size_t, ValueId> reused;
  ElementType kept_as = ElementType::undefined;  ///< compress: the narrower type
};

/// Why a stashed output has no plan.
struct Obstacle {
  NodeId entry;
  NodeId stopped_at;  ///< the node that the search could not pass
  std::string rule;   ///< one clause
};

/// How far opportunities are looked for.
struct RecomputeSearchOptions {
  RecomputeSearchOptions() = default;
  RecomputeSearchOptions(int wanted_level, bool keep_layer_inputs)
      : level(wanted_level), layer_boundary(keep_layer_inputs) {}

  int level = 1;                ///< 0: basic operators, 1: advanced ones too
  bool layer_boundary = false;  ///< outputs that start a transformer layer are kept
  bool newer_versions = false;  ///< operators of opsets that the reference's table does not know
  std::set<std::string> also_recomputable;        ///< op types beside the table's
  ElementType compressed = ElementType::float16;  ///< what stashed float32 is narrowed to

  friend bool operator==(const RecomputeSearchOptions&, const RecomputeSearchOptions&) = default;
};

/// `L[:B]`; empty is 0. Throws a usage Error in the reference's words.
RecomputeSearchOptions parse_search_options(const std::string& text);
/// Level and boundary only: what the reference understands.
std::string to_string(const RecomputeSearchOptions& search);

/// The element types that float32 activations may be kept in. Throws a usage Error that lists them
/// for another name.
ElementType parse_compressed(const std::string& name);

}  // namespace stashscope
