#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/base/search_limit.h"
#include "core/passes/graph_pass.h"
#include "core/passes/what_if/what_if.h"
#include "core/study/step/study.h"

namespace stashscope {

/// A step with certain what-ifs and passes, but without plans.
struct Combination {
  std::shared_ptr<const Study> study;
  std::int64_t peak_bytes = 0;  ///< in the chosen order
  double seconds = 0;           ///< of a step
};

/// A value of a what-if that no combination has, although it was tried.
struct RuledOut {
  const WhatIf* what_if = nullptr;
  std::string value;
  std::string reason;  ///< why not: a clause that names the obstacle, such as a node
  /// The step with this value, if the value is ruled out only because it would change results; else
  /// null.
  std::shared_ptr<const Study> with = nullptr;
};

/// The combinations of what-ifs and passes that a joint search looks at.
struct Combinations {
  /// The first has the what-ifs and passes of the study that was asked about.
  std::vector<Combination> all;
  std::vector<RuledOut> ruled_out;
  std::vector<const GraphPass*> passes;  ///< on in all combinations but the first
  bool is_complete = true;               ///< false: the limit left some out
};

/// The purpose of a search for combinations, and its limit.
struct CombinationRequest {
  std::int64_t budget_bytes = 0;  ///< steps that may fit are computed first
  bool may_change_results = false;
  SearchLimit limit;  ///< of time only
};

/// The combination of the study's own what-ifs and passes.
Combination own_combination(const Study& study);

/// Computes combinations of what-ifs, including numbers of micro-batches that divide the batch, and
/// of passes that together lower the peak and add no time. A value of a what-if is left out if it
/// brings no gain over the step without it, or over another value of the same what-if that was
/// tried before. Unless `can_change_graph`, the result has only the study's own combination.
/// What-ifs that are on may get another value, but are never switched off. Throws a cancelled Error
/// when cancelled.
Combinations find_combinations(const Study& study, const CombinationRequest& request,
                               const Progress& progress);

/// The study's choices without plans and moves. The default order replaces a searched or planned
/// order.
Choices without_plans(const Study& study);

}  // namespace stashscope
