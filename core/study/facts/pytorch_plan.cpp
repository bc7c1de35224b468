#include "core/study/facts/pytorch_plan.h"

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/graph/captured_step.h"
#include "core/recompute/regions.h"

namespace stashscope {

namespace {

using nlohmann::ordered_json;
constexpr int plan_version = 1;

}  // namespace

std::string pytorch_plan(const Study& study) {
  const CapturedStep* const captured = study.graph().data().captured.get();
  if (captured == nullptr) {
    fail_usage("the plan for PyTorch", "needs a captured step; this is a model for ONNX Runtime",
               "capture the step with stashscope.capture of the Python package");
  }
  ordered_json regions = ordered_json::array();
  for (const NodePlan* const plan : study.applied) {
    ordered_json save = ordered_json::array();
    for (const KeptOperator& kept : plan->region->kept)
      save.push_back({kept.name, kept.occurrence});
    regions.push_back({{"module", plan->region->module}, {"save", std::move(save)}});
  }
  const ordered_json content = {
      {"stashscope.plan", plan_version}, {"torch", captured->torch}, {"regions", regions}};
  return content.dump(1) + "\n";
}

}  // namespace stashscope
