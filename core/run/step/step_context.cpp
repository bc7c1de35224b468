#include "core/run/step/step_context.h"

#include <utility>

namespace stashscope {

void report_slot(const Progress& progress, std::size_t slot, std::size_t slots,
                 std::string_view stage) {
  constexpr std::size_t slots_between_reports = 64;
  if (slot % slots_between_reports != 0) return;
  progress.update(static_cast<double>(slot) / static_cast<double>(slots), stage);
}

StepOutputs::StepOutputs(const RunPlan& plan, std::function<Tensor(ValueId)> read)
    : plan_(plan), read_(std::move(read)), is_released_(plan.dataflow.topology.values(), false) {
  for (const ValueId output : plan.timeline.released_outputs) is_released_[output] = true;
}

void StepOutputs::take_released(NodeId node) {
  for (const ValueId output : plan_.dataflow.topology.outputs[node]) {
    if (is_released_[output]) take(output);
  }
}

NamedTensors StepOutputs::take_all() {
  for (const ValueId output : plan_.graph->data().outputs) take(output);
  return std::exchange(outputs_, {});
}

void StepOutputs::take(ValueId output) {
  const std::string& name = plan_.graph->value(output).name;
  if (!outputs_.contains(name)) outputs_.emplace(name, read_(output));
}

}  // namespace stashscope
