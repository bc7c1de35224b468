#include "core/study/step/step_export.h"

#include "core/base/error.h"

namespace stashscope {

RunPlan run_plan(const Study& study, const Variant& variant) {
  const TrainingStep& step = study.prepared->step;
  return {step.graph,
          variant.dataflow,
          variant.timeline,
          variant.groups,
          {study.choices.update, step.parameters},
          variant.copies};
}

Graph modified_graph(const Study& study) {
  if (study.current->dataflow.fixed) {
    fail_usage("the modified model",
               "cannot be saved: PyTorch carries out the plans of a captured step",
               "write the plan for PyTorch instead");
  }
  return materialize(study.graph(), study.current->dataflow, study.current->timeline.order);
}

}  // namespace stashscope
