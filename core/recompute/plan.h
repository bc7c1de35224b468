#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/graph/graph.h"
#include "core/recompute/reference.h"

namespace stashscope {

/// The types of plans, numbered as in config strings. The first three are the optimization types of
/// ONNX Runtime, which rejects all others.
enum class PlanType : std::uint8_t {
  none = 0,
  recompute = 1,
  compromise = 2,
  offload = 3,
  compress = 4,
  region = 5  ///< only in captured steps
};

/// Whether ONNX Runtime accepts the type in a config string.
constexpr bool in_reference(PlanType type) { return type <= PlanType::compromise; }

/// Whether a planner may choose plans of the type. A planner chooses only among plans that run
/// nodes again and change no result.
constexpr bool is_searched(PlanType type) { return in_reference(type) || type == PlanType::region; }

struct Region;
using ClusterId = Id<struct ClusterTag>;

/// A buffer that an output shares.
struct ReusedBuffer {
  ValueId owner;
  bool needs_plan = true;  ///< freeing the buffer requires a plan for the owner's node, too
};

/// One way to free stashed outputs. The plan recomputes the outputs of a node in backward, evicts
/// and restores the outputs of a node, or runs a module again. A plan that runs a module again
/// frees `region->freed`; its `node` and `outputs` name only one output, the largest freed value of
/// the module.
struct NodePlan {
  PlanType type = PlanType::none;
  NodeId node;                       ///< the entry: the node whose outputs the plan frees
  std::vector<std::size_t> outputs;  ///< positions of the stashed outputs of `node`
  /// Nodes to clone, in topological order; the entry is the last. For an evicted tensor: the nodes
  /// that make views of it. For a region: the nodes that run again, call by call.
  std::vector<NodeId> subgraph;
  /// Op types of the subgraph, each followed by `+`. For an evicted tensor: the op type of `node`.
  /// For a region: the name of its modules, such as `h.*`.
  std::string cluster;
  ClusterId cluster_id;     ///< id of `cluster` in the opportunities
  Rational save_ratio = 1;  ///< share of the stashed bytes that the plan frees
  /// Stashed outputs that share the buffer of another node's output.
  std::map<std::size_t, ReusedBuffer> reused;
  ElementType kept_as = ElementType::undefined;  ///< compress only: the narrower type
  std::shared_ptr<const Region> region;          ///< set only for a region

  /// Whether freeing the output also requires a plan for the owner of the shared buffer.
  bool needs_owner(std::size_t output) const {
    const auto shared = reused.find(output);
    return shared != reused.end() && shared->second.needs_plan;
  }
};

/// Why a stashed output has no plan.
struct Obstacle {
  NodeId entry;
  NodeId stopped_at;  ///< the node that the search could not pass
  std::string rule;   ///< why the search could not pass that node, one clause
};

/// The extent of the search for opportunities.
struct RecomputeSearchOptions {
  RecomputeSearchOptions() = default;
  RecomputeSearchOptions(int wanted_level, bool keep_layer_inputs,
                         Reference wanted_reference = default_reference)
      : reference(wanted_reference), level(wanted_level), layer_boundary(keep_layer_inputs) {}

  Reference reference = default_reference;
  int level = 1;                ///< 0: basic operators, 1: also advanced operators
  bool layer_boundary = false;  ///< outputs that start a transformer layer stay stashed
  bool newer_versions = false;  ///< also operator versions newer than ONNX Runtime's table
  std::set<std::string> also_recomputable;        ///< op types added to ONNX Runtime's table
  ElementType compressed = ElementType::float16;  ///< type to which `compress` plans narrow float32

  friend bool operator==(const RecomputeSearchOptions&, const RecomputeSearchOptions&) = default;
};

/// Parses `LEVEL[:BOUNDARY]`; an empty text means level 0 without the layer boundary. For any other
/// text, throws a usage Error worded like ONNX Runtime's.
RecomputeSearchOptions parse_search_options(const std::string& text);
/// Level and boundary, which are the only options that ONNX Runtime understands.
std::string to_string(const RecomputeSearchOptions& search);

/// Parses the type to which `compress` plans narrow float32 activations. Throws a usage Error that
/// lists the valid types.
ElementType parse_compressed(const std::string& name);

}  // namespace stashscope
