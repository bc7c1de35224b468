#pragma once

#include "core/study/study.h"

namespace stashscope {

/// Tells peak and time of a study's step under other plans by cluster, without all else that a
/// study has. An order that takes a search is stood in for by the default one: the search starts
/// from that too, so its peak is never above. Refers to the study.
class PlanEvaluator {
 public:
  explicit PlanEvaluator(const Study& study);

  struct Outcome {
    std::int64_t peak_bytes = 0;
    double extra_seconds = 0;  ///< beyond the step without plans
  };
  Outcome evaluate(const RecomputeConfig& config) const;
  Timeline timeline(const RecomputeConfig& config) const;

 private:
  const Study& study_;
  UpdateMemory update_;
  std::string order_;
};

}  // namespace stashscope
