#pragma once

#include <map>

#include "core/study/step/study.h"

namespace stashscope {

/// One occurrence of a row of the plan table.
struct PlanPlace {
  const PlanRow* row = nullptr;
  const Occurrence* occurrence = nullptr;
};

/// For each node with plans in `PlanTable::plans`, the occurrence in the row that saves most.
/// Recompute rows come before other rows. Points into the study.
std::map<NodeId, PlanPlace> best_plans(const Study& study);

}  // namespace stashscope
