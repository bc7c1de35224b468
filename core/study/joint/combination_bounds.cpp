#include "core/study/joint/combination_bounds.h"

#include <algorithm>

namespace stashscope {

CombinationBounds::CombinationBounds(const Combination& combination,
                                     const std::vector<PlanType>& evictions, BoundEffort effort,
                                     const Progress& progress)
    : combination_(combination), evictions_(evictions), progress_(progress) {
  const Study& study = *combination.study;
  floor_ = held_bytes(study.baseline->timeline);
  // A task graph does not know that the inner tensors of a fused group take no memory.
  if (study.choices.fusion.strategy) return;
  leaves_out_ = effort == BoundEffort::least;
  if (leaves_out_) return;
  problem_.emplace(study, progress);
  floor_ = std::max(floor_, problem_->floor_with_evictions());
}

double CombinationBounds::known_seconds(std::int64_t budget_bytes) const {
  double known = combination_.seconds;
  for (const Proof& proof : proofs_) {
    if (proof.budget_bytes >= budget_bytes) known = std::max(known, proof.seconds);
  }
  return known;
}

double CombinationBounds::prove_seconds(std::int64_t budget_bytes, const SearchLimit& limit) {
  const double known = known_seconds(budget_bytes);
  const bool is_proven = std::ranges::any_of(
      proofs_, [&](const Proof& each) { return each.budget_bytes == budget_bytes; });
  const bool can_fit = combination_.peak_bytes <= budget_bytes;
  if (!problem_ || is_proven || can_fit || budget_bytes < floor_) return known;
  const double extra = problem_->least_extra_seconds(budget_bytes, limit, progress_, evictions_);
  const double seconds = std::max(known, combination_.seconds + extra);
  proofs_.push_back({budget_bytes, seconds});
  return seconds;
}

}  // namespace stashscope
