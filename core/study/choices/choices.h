#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/memory/optimizer.h"
#include "core/passes/training_step.h"
#include "core/planner/device_profile.h"
#include "core/recompute/config.h"

namespace stashscope {

/// The choices that the training graph is built from.
struct GraphChoices {
  std::map<std::string, std::string>
      same_dims;  ///< dimension name or `*` pattern -> the name that replaces it
  TrainingGoal goal;
  std::set<std::string> passes;  ///< passes applied to a forward model before differentiation
  /// float16 or bfloat16, mixed with float32. If not set, the model keeps its element types.
  std::optional<ElementType> precision;
  WhatIfChoices what_ifs;  ///< chosen values by what-if, such as the form of attention
  /// The type, float16 or bfloat16, in which float32 gradients of parameters are kept until the
  /// update. If not set, gradients have the type of their parameter.
  std::optional<ElementType> gradient_type;

  friend bool operator==(const GraphChoices&, const GraphChoices&) = default;
};

/// Sizes by dimension name or `*` pattern.
using SizeChoices = std::map<std::string, std::int64_t>;

/// A planner's sequence of the step's nodes, in which some nodes run again.
struct PlannedSequence {
  /// The nodes in the order of their runs, as indices into the step's graph. Nodes that only make
  /// views are left out.
  std::vector<std::uint32_t> runs;
  std::uint64_t graph = 0;  ///< fingerprint of the graph that was planned

  friend bool operator==(const PlannedSequence&, const PlannedSequence&) = default;
};

/// The plans to search for, and the plans to apply.
struct PlanChoices {
  RecomputeConfig config;  ///< the plans chosen for single clusters
  /// Names of pinned nodes. Their outputs stay in memory, so their plans are not applied even if
  /// the cluster of a plan is on. The count of a cluster includes pinned occurrences. See
  /// `NodeNames`.
  std::set<std::string> pinned;
  /// Which plans are on. Level 0: only those of `config`; level 1: every recompute plan; level 2:
  /// every recompute plan and every compromise.
  int level = 0;
  RecomputeSearchOptions search;
  std::optional<PlannedSequence> sequence;  ///< if set, replaces all plans
  /// Whether the copies of offloaded tensors overlap with the nodes of the step. The overlap does
  /// not change the peak of the step.
  bool overlaps_copies = false;

  friend bool operator==(const PlanChoices&, const PlanChoices&) = default;
};

/// A node that the user moved in the execution order. Its fused group moves with it.
struct OrderMove {
  std::string node;
  std::optional<std::string> before;  ///< node that directly follows; not set: moved to the end

  friend bool operator==(const OrderMove&, const OrderMove&) = default;
};

/// The choices for the execution order.
struct OrderChoices {
  std::optional<std::string> strategy = "file";  ///< not set: the order of the planned sequence
  std::vector<OrderMove> moves;  ///< applied one after the other to the order of the strategy

  friend bool operator==(const OrderChoices&, const OrderChoices&) = default;
};

/// How pointwise nodes are fused into groups that each run as one kernel.
struct FusionChoice {
  std::optional<std::string> strategy;                  ///< not set: every node runs alone
  std::set<std::string> alone;                          ///< names of nodes that join no group
  std::set<std::pair<std::string, std::string>> apart;  ///< pairs of nodes never in one group

  friend bool operator==(const FusionChoice&, const FusionChoice&) = default;
};

/// The device that the step must fit and that times are predicted for.
struct TimeChoices {
  DeviceProfile profile = default_profile();
  /// Bytes per second between device and host in each direction. If set, replaces the profile's
  /// value.
  std::optional<double> transfer_bandwidth;
  /// Bytes, at least 1; if set, replaces the profile's bytes.
  std::optional<std::int64_t> device_memory;
  double reserve_percent = 0;  ///< part of the device's memory that the step must leave free
  /// Bytes that planners may keep in the memory of the host, at least 1. Not set: no limit.
  std::optional<std::int64_t> host_memory = {};

  friend bool operator==(const TimeChoices&, const TimeChoices&) = default;
};

/// All decisions of the user. A part of the previous study is reused if the choices and the parts
/// that it depends on are equal. Undo restores the previous Choices, and a session file holds
/// Choices and the path of the model.
struct Choices {
  Choices();

  GraphChoices graph;
  SizeChoices dims;
  TimeChoices times;
  UpdateChoice update;
  PlanChoices plans;
  OrderChoices order;
  FusionChoice fusion;
  std::optional<std::string> device;  ///< the device that runs the step; not set: no run
  /// Settings of PyTorch's caching allocator, in the form of `PYTORCH_CUDA_ALLOC_CONF`, for which
  /// reserved memory is computed; empty: the default settings. Not set: reserved memory is not
  /// computed. The settings do not change the step.
  std::optional<std::string> allocator;

  friend bool operator==(const Choices&, const Choices&) = default;
};

/// The words that stand for a choice that is not set, in options, files and tables.
constexpr const char* planned_order = "planned";
constexpr const char* no_fusion = "none";
constexpr const char* no_device = "none";

/// Converts a choice to its text and back; `word` is the text of a choice that is not set.
std::string choice_text(const std::optional<std::string>& choice, std::string_view word);
std::optional<std::string> choice_of(std::string_view text, std::string_view word);

/// Chooses the order of the given strategy, or the order of the planned sequence if `strategy` is
/// not set. Drops the moves, because they refer to the previous order.
void choose_order(Choices& choices, std::optional<std::string> strategy);

/// Drops the planned sequence. Plans are then chosen by cluster again, and the order by strategy.
void forget_planned(Choices& choices);

/// All bytes of the device's memory, including the part that is kept free.
std::int64_t whole_memory(const TimeChoices& choices);
/// The chosen profile. A chosen bandwidth or memory size replaces the profile's value. The memory
/// of the result is the memory that the step may use, without the reserve.
DeviceProfile profile_in_force(const TimeChoices& choices);
/// Bytes of the device's memory that the step must leave free.
std::int64_t kept_free_bytes(const TimeChoices& choices);

/// Whether `a` and `b` lead to the same step, regardless of the device, its speed and memory, the
/// limit for the host's memory, and the allocator. If copies of offloaded tensors overlap, the
/// speed of the device counts, because the places of copies depend on it.
bool same_step(const Choices& a, const Choices& b);

/// Sets the size of a dimension if `value` is a number; otherwise unifies the dimension with the
/// dimension that `value` names. Throws a usage Error for a number beyond 64 bits.
/// @param name name of the dimension, or a `*` pattern
void choose_dimension(const std::string& name, const std::string& value, Choices& choices);

/// The titles of the passes that are on.
std::vector<std::string> pass_titles(const Choices& choices);
/// Adds the passes in `list`, separated by commas; `all` adds every pass for which
/// `GraphPass::among_all` is true. For an unknown name, throws a usage Error that lists the names.
void add_passes(const std::string& list, Choices& choices);

/// The choices with the what-if `name` set to `value`. @pre the what-if can have this value
Choices with_what_if(Choices choices, std::string_view name, std::string_view value);

/// Converts the name of a precision to its type; an empty name means no precision. Throws a usage
/// Error for a type that cannot be mixed with float32. `precision_name` converts a type back.
std::optional<ElementType> parse_precision(const std::string& name);
/// Converts the name of a type of gradients to the type; an empty name means no chosen type. Throws
/// a usage Error for a type other than float16 and bfloat16.
std::optional<ElementType> parse_gradient_type(const std::string& name);
std::string precision_name(const std::optional<ElementType>& precision);

/// Throws a usage Error for a bandwidth, in bytes per second, that no link between device and host
/// can have.
void check_transfer_bandwidth(double bandwidth);
/// Throws a usage Error unless the percentage is at least 0 and below 100.
void check_reserve(double percent);

/// The options of the search for plans at the level of `choices`. At level 0, these are the chosen
/// options. At levels 1 and 2, the search also recomputes advanced operators, but leaves the inputs
/// of transformer layers stashed, whatever was chosen.
RecomputeSearchOptions effective_search_options(const PlanChoices& choices);

}  // namespace stashscope
