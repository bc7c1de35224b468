#pragma once

#include "core/study/step/study.h"

namespace stashscope {

/// Whether the study's order takes a search.
bool is_order_searched(const Study& study);

/// The choices with an order by rule where the study's takes a search, for studies on the way to an
/// answer.
Choices without_search(const Study& study, Choices choices);

/// Tells peak and time of a study's step under other plans by cluster, without all else that a
/// study has. An order that takes a search is stood in for by the default one: the search starts
/// from that too, so its peak is never above. Refers to the study.
class PlanEvaluator {
 public:
  explicit PlanEvaluator(const Study& study);
  explicit PlanEvaluator(Study&& study) = delete;

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
