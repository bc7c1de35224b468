#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/memory/optimizer.h"
#include "core/passes/training_step.h"
#include "core/planner/device_profile.h"
#include "core/recompute/config.h"

namespace stashscope {

/// Which pointwise nodes run as one.
struct FusionChoice {
  std::string strategy = "none";
  std::set<std::string> alone;                          ///< names of nodes that are in no group
  std::set<std::pair<std::string, std::string>> apart;  ///< of nodes that never are in one group

  friend bool operator==(const FusionChoice&, const FusionChoice&) = default;
};

/// A sequence of the step's nodes that a planner found: without plans, some nodes run again.
struct PlannedSequence {
  /// Positions of nodes in the step's graph in the order of their runs; nodes that only make views
  /// are left out.
  std::vector<std::uint32_t> runs;
  std::uint64_t graph = 0;  ///< fingerprint of the graph that was planned

  bool empty() const { return runs.empty(); }
  friend bool operator==(const PlannedSequence&, const PlannedSequence&) = default;
};

/// The order of a planned sequence, to be chosen beside those of order strategies.
constexpr const char* planned_order = "planned";

/// A node that the user moved; with it goes the group that it runs in.
struct OrderMove {
  std::string node;
  std::string before;  ///< directly in front of this node; empty: to the end

  friend bool operator==(const OrderMove&, const OrderMove&) = default;
};

/// The order of a strategy with the moves of nodes that the user made in it.
constexpr const char* moved_order = "moved";

/// Everything the user decided. Small, comparable, serializable: undo is the previous Choices, a
/// session file is Choices and the model's place.
struct Choices {
  Choices();

  std::map<std::string, std::int64_t> dims;      ///< values by dimension name or `*` pattern
  std::map<std::string, std::string> same_dims;  ///< name or pattern -> the name it stands for
  RecomputeConfig plans;                         ///< by cluster
  /// Names of nodes whose outputs stay in memory (pinned): no plan of theirs is carried out though
  /// its cluster is on. A count covers pinned occurrences as it does others. See `NodeNames`.
  std::set<std::string> pinned;
  int level = 0;  ///< 1: every recompute plan, 2: compromises too
  RecomputeSearchOptions recompute_search;
  PlannedSequence planned;       ///< takes the place of all plans
  std::string order = "file";    ///< of a strategy, or planned_order
  std::vector<OrderMove> moves;  ///< made in turn in that order
  FusionChoice fusion;
  TrainingGoal goal;
  DeviceProfile profile = default_profile();  ///< of the device that times are predicted for
  /// Bytes per second between device and host, one way, instead of the profile's.
  std::optional<double> transfer_bandwidth;
  UpdateChoice update;
  std::set<std::string> passes;  ///< done to a forward model before its backward pass is built
  std::string precision;         ///< of mixed precision: float16, bfloat16 or empty for none
  std::string device = "none";

  friend bool operator==(const Choices&, const Choices&) = default;
};

/// Takes the order of a strategy, or planned_order. Moves go with the order they were made in.
void choose_order(Choices& choices, const std::string& order);

/// Back to plans by cluster and orders by strategy.
void forget_planned(Choices& choices);

/// The chosen profile, its link as fast as chosen.
DeviceProfile profile_in_force(const Choices& choices);

/// Whether both lead to the same step, wherever it runs.
bool same_step(const Choices& a, const Choices& b);

/// Adds the passes that `list` names, separated by commas; `all`: every one that keeps the outputs.
/// Throws a usage Error that lists the names.
void add_passes(const std::string& list, Choices& choices);

/// Throws a usage Error when `name` is no precision that can be mixed with float32.
void check_precision(const std::string& name);

/// Throws a usage Error for what no link between device and host can have, in bytes per second.
void check_transfer_bandwidth(double bandwidth);

/// What the passes are to do under these choices.
PassSelection pass_selection(const Choices& choices);

/// Whether both lead to the same training graph, before plans and orders.
bool same_graph(const Choices& a, const Choices& b);

/// The probe that is in force: levels 1 and 2 look for everything but keep transformer layers'
/// inputs.
RecomputeSearchOptions effective_search_options(const Choices& choices);

}  // namespace stashscope
