#pragma once

#include <map>

#include "core/study/step/study.h"

namespace stashscope {

/// One occurrence of a row of the plan table.
struct PlanPlace {
  const PlanRow* row = nullptr;
  const Occurrence* occurrence = nullptr;
};

/// For each node with plans in `PlanTable::plans`, its occurrence in the recompute row that saves
/// most. If the node has no recompute row, its occurrence in the other row that saves most. Points
/// into the study.
std::map<NodeId, PlanPlace> best_plans(const Study& study);

}  // namespace stashscope
