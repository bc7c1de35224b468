#include "core/study/step/step_export.h"

namespace stashscope {

RunPlan run_plan(const Study& study, const Variant& variant) {
  const TrainingStep& step = study.prepared->step;
  return {step.graph,
          variant.dataflow,
          variant.timeline,
          variant.groups,
          {study.choices.update, step.parameters}};
}

Graph modified_graph(const Study& study) {
  return materialize(study.graph(), study.current->dataflow, study.current->timeline.order);
}

}  // namespace stashscope
