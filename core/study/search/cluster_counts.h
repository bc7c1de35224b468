#pragma once

#include <compare>
#include <functional>
#include <optional>
#include <vector>

#include "core/base/search_limit.h"
#include "core/study/search/plan_evaluator.h"

namespace stashscope {

/// The option of a cluster that is on, and the number of its occurrences that are on.
struct ClusterCount {
  std::uint32_t option = 0;
  std::uint32_t count = 0;

  friend auto operator<=>(const ClusterCount&, const ClusterCount&) = default;
};

/// One entry per cluster.
using Counts = std::vector<ClusterCount>;

/// The plans of a study as variables of a search: clusters, the mutually exclusive options (plan
/// types) of each cluster, and the occurrences of each option. Refers to the study.
class ClusterOptions {
 public:
  /// @param evictions types of evicting plans to offer as further options; their clusters have the
  /// names of operators
  /// @param copies with `as_chosen`, a copy that overlaps costs only the estimated time for which
  /// nodes wait for the copy
  explicit ClusterOptions(const Study& study, const std::vector<PlanType>& evictions = {},
                          CopyTimes copies = CopyTimes::as_chosen);
  explicit ClusterOptions(Study&& study, const std::vector<PlanType>& evictions = {},
                          CopyTimes copies = CopyTimes::as_chosen) = delete;

  std::size_t size() const { return clusters_.size(); }
  std::uint32_t options(std::size_t cluster) const {
    return static_cast<std::uint32_t>(clusters_[cluster].options.size());
  }
  /// The number of occurrences of an option.
  std::uint32_t most(std::size_t cluster, std::uint32_t option) const;
  Counts none() const { return Counts(size()); }
  /// The counts of a config. Ignores entries that match no option.
  Counts counts_of(const RecomputeConfig& config) const;
  RecomputeConfig config_of(const Counts& counts) const;

  /// Variants of `counts` that each raise the count of one cluster, until this frees `excess` more
  /// bytes at the peak or no occurrence is left. Sorted by descending ratio of freed bytes to added
  /// seconds.
  /// @param timeline the timeline under `counts`
  std::vector<Counts> steps_down(const Counts& counts, const Timeline& timeline,
                                 std::int64_t excess) const;
  /// The clusters with a count above 0, by descending time that their plans add.
  std::vector<std::size_t> by_seconds(const Counts& counts) const;
  /// Tries variants of `counts` until `accepts` returns true, and returns the accepted variant;
  /// nothing if none is accepted. A variant raises the count of one cluster, lowers the count of
  /// one used cluster, or sets the counts of two used clusters to 0. A variant that lowers counts
  /// may also raise the count of one other cluster. A variant may be tried twice.
  using Accepts = std::function<bool(const Counts& variant)>;
  std::optional<Counts> first_exchange(const Counts& counts, const Accepts& accepts) const;
  /// Changes the counts of one or two random clusters; may leave them as they are. In a captured
  /// step, several clusters can cover the same modules and keep different outputs. A change may
  /// then move modules from one of these clusters to another.
  void change(Counts& counts, SearchRandom& random) const;

 private:
  struct Occurrence {
    const NodePlan* plan;
    double seconds;  ///< estimated time that the plan adds; 0 if pinned
    bool is_pinned;  ///< included in the count, but frees nothing
  };
  struct Option {
    PlanType type;
    std::vector<Occurrence> occurrences;  ///< in execution order
  };
  struct Cluster {
    std::string name;
    std::vector<Option> options;
    std::vector<std::uint32_t> rivals = {};  ///< clusters of the same modules
  };
  struct Step {
    ClusterCount to;
    std::size_t cluster;
    double bytes_of_a_second;
  };

  void find_rivals();
  void exchange(Counts& counts, SearchRandom& random) const;
  bool raise(Counts& counts, std::size_t but, const Accepts& accepts) const;
  double seconds(std::size_t cluster, ClusterCount count) const;
  Step step_down(std::size_t cluster, ClusterCount from, const Timeline& timeline,
                 std::int64_t excess) const;

  const Graph& graph_;
  std::vector<Cluster> clusters_;
};

}  // namespace stashscope
