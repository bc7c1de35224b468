#pragma once

#include <map>

#include "core/study/step/study.h"

namespace stashscope {

/// A row of the plan table at one place in the model.
struct PlanPlace {
  const PlanRow* row = nullptr;
  const Occurrence* occurrence = nullptr;
};

/// For each node with plans that ONNX Runtime knows, the occurrence in the row that saves most.
/// Recompute rows come before compromises. Points into the study.
std::map<NodeId, PlanPlace> best_plans(const Study& study);

}  // namespace stashscope
