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
      same_dims;  ///< name or `*` pattern -> the name that replaces it
  TrainingGoal goal;
  std::set<std::string> passes;  ///< applied to a forward model before its backward pass is built
  /// float16 or bfloat16, mixed with float32; if not set, the types of the model.
  std::optional<ElementType> precision;

  friend bool operator==(const GraphChoices&, const GraphChoices&) = default;
};

/// Values by dimension name or `*` pattern.
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
  RecomputeConfig config;  ///< by cluster
  /// Names of nodes whose outputs stay in memory: their plans are not applied even if their
  /// cluster is on. The count of a cluster includes pinned occurrences. See `NodeNames`.
  std::set<std::string> pinned;
  int level = 0;  ///< 1: every recompute plan, 2: compromises too
  RecomputeSearchOptions search;
  std::optional<PlannedSequence> sequence;  ///< replaces all plans

  friend bool operator==(const PlanChoices&, const PlanChoices&) = default;
};

/// A node that the user moved, together with the fused group that it runs in.
struct OrderMove {
  std::string node;
  std::optional<std::string> before;  ///< moved directly before this node; not set: to the end

  friend bool operator==(const OrderMove&, const OrderMove&) = default;
};

/// The execution order.
struct OrderChoices {
  std::optional<std::string> strategy = "file";  ///< not set: the order of the planned sequence
  std::vector<OrderMove> moves;  ///< applied one after the other to the order of the strategy

  friend bool operator==(const OrderChoices&, const OrderChoices&) = default;
};

/// The pointwise nodes that run as one kernel.
struct FusionChoice {
  std::optional<std::string> strategy;                  ///< not set: every node runs alone
  std::set<std::string> alone;                          ///< names of nodes that join no group
  std::set<std::pair<std::string, std::string>> apart;  ///< nodes that never share a group

  friend bool operator==(const FusionChoice&, const FusionChoice&) = default;
};

/// The device that the step must fit and that times are predicted for.
struct TimeChoices {
  DeviceProfile profile = default_profile();
  /// Bandwidth between device and host in bytes per second and direction; replaces the profile's.
  std::optional<double> transfer_bandwidth;
  std::optional<std::int64_t> device_memory;  ///< in bytes, at least 1; replaces the profile's

  friend bool operator==(const TimeChoices&, const TimeChoices&) = default;
};

/// All decisions of the user, one group for each stage of a study. A stage of the previous study is
/// reused if its group and all earlier stages are equal. Small, comparable and serializable: undo
/// restores the previous Choices, and a session file holds Choices and the path of the model.
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

  friend bool operator==(const Choices&, const Choices&) = default;
};

/// The words in options, files and tables for choices that are not set.
constexpr const char* planned_order = "planned";
constexpr const char* no_fusion = "none";
constexpr const char* no_device = "none";

/// Converts a choice to its text and back; `word` is the text of a choice that is not set.
std::string choice_text(const std::optional<std::string>& choice, std::string_view word);
std::optional<std::string> choice_of(std::string_view text, std::string_view word);

/// Chooses the order of a strategy, or without a strategy the order of the planned sequence. Drops
/// the moves, because they refer to the previous order.
void choose_order(Choices& choices, std::optional<std::string> strategy);

/// Drops the planned sequence: plans are chosen by cluster and the order by strategy again.
void forget_planned(Choices& choices);

/// The chosen profile, with its link bandwidth and its memory replaced by the chosen ones.
DeviceProfile profile_in_force(const TimeChoices& choices);

/// Whether both choices lead to the same step, regardless of the device and its speed.
bool same_step(const Choices& a, const Choices& b);

/// Adds the passes in `list`, separated by commas; `all` adds every pass that keeps the outputs.
/// For an unknown name, throws a usage Error that lists the names.
void add_passes(const std::string& list, Choices& choices);

/// Converts the name of a precision to its type and back; an empty name means no precision. Throws
/// a usage Error for a type that cannot be mixed with float32.
std::optional<ElementType> parse_precision(const std::string& name);
std::string precision_name(const std::optional<ElementType>& precision);

/// Throws a usage Error for a bandwidth, in bytes per second, that no link between device and host
/// can have.
void check_transfer_bandwidth(double bandwidth);

/// The search options in force: levels 1 and 2 search everywhere, but leave the inputs of
/// transformer layers stashed.
RecomputeSearchOptions effective_search_options(const PlanChoices& choices);

}  // namespace stashscope
