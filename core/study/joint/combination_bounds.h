#pragma once

#include <optional>
#include <vector>

#include "core/study/joint/combinations.h"
#include "core/study/search/sequence_budget.h"

namespace stashscope {

/// How much is computed for bounds. With `least`: only bounds that need no task graph.
enum class BoundEffort : std::uint8_t { least, all };

/// Lower bounds for all plans of one combination, at any granularity, with or without evicted
/// tensors. Refers to the combination and the progress.
class CombinationBounds {
 public:
  /// @param evictions the types of evicting plans that are allowed
  CombinationBounds(const Combination& combination, const std::vector<PlanType>& evictions,
                    BoundEffort effort, const Progress& progress);

  /// Whether bounds were left out that more effort would have computed.
  bool leaves_out() const { return leaves_out_; }
  /// Lower bound in bytes on the peak.
  std::int64_t floor_bytes() const { return floor_; }
  /// Lower bound in seconds on the time of a step within the budget: the time without plans, or the
  /// best bound that was proven for this budget or a larger one.
  double known_seconds(std::int64_t budget_bytes) const;
  /// Proves a bound for this budget, unless that was done before, and returns the best known bound.
  /// Proves nothing without a task graph, if the step fits without plans, and for a budget below
  /// `floor_bytes`.
  double prove_seconds(std::int64_t budget_bytes, const SearchLimit& limit);

 private:
  struct Proof {
    std::int64_t budget_bytes = 0;
    double seconds = 0;
  };

  const Combination& combination_;
  std::vector<PlanType> evictions_;
  const Progress& progress_;
  std::optional<SequenceProblem> problem_;  ///< not set if nodes are fused, or with least effort
  bool leaves_out_ = false;
  std::int64_t floor_ = 0;
  std::vector<Proof> proofs_;
};

}  // namespace stashscope
