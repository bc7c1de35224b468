#include "core/planner/copy_overlap.h"
#include "core/study/step/plan_effects.h"
#include "core/study/step/study.h"

namespace stashscope {

namespace {

std::shared_ptr<const StepTimes> measured_times(const Study& study,
                                                const std::optional<Measurement>& baseline,
                                                const Measurement& current) {
  StepTimes times = *study.times;
  MeasuredTimes runs(times.seconds.size());
  if (baseline) {
    runs.add(study.baseline->dataflow, study.baseline->timeline.order, baseline->node_seconds);
  }
  // For a group, only the total time of its members is known.
  if (study.current->groups.empty()) {
    runs.add(study.current->dataflow, study.current->timeline.order, current.node_seconds);
  }
  times.measured = runs.replace(times.seconds);
  times.measured_on = times.measured > 0 ? current.device : "";
  return std::make_shared<const StepTimes>(std::move(times));
}

}  // namespace

std::shared_ptr<const Study> with_measured_times(const Study& study,
                                                 const std::optional<Measurement>& baseline,
                                                 const Measurement& current) {
  StudyParts parts = study;
  parts.times = measured_times(study, baseline, current);
  parts.plan_table = std::make_shared<const PlanTable>(with_effects(parts, *study.plan_table));
  return std::make_shared<const Study>(std::move(parts));
}

std::shared_ptr<const Study> on_device(const Study& study, const std::string& device) {
  StudyParts parts = study;
  parts.choices.device = device;
  return std::make_shared<const Study>(std::move(parts));
}

std::int64_t memory_to_fit(const Study& study) {
  return profile_in_force(study.choices.times).memory_bytes;
}

double step_seconds(const Study& study, const Variant& variant) {
  return step_seconds(timing_basis(study), variant);
}

double extra_seconds(const Study& study) {
  return extra_seconds(timing_basis(study), *study.current);
}

double extra_seconds_percent(const Study& study) {
  const double before = step_seconds(study, *study.baseline);
  return before == 0 ? 0 : 100 * extra_seconds(study) / before;
}

double transfer_seconds(const Study& study, const Variant& variant) {
  const CopyRates rates = copy_rates(study);
  return rates.transfer_seconds(static_cast<double>(variant.transfer_bytes / rates.runs));
}

double waiting_seconds(const Study& study, const Variant& variant) {
  if (variant.copies.empty()) return transfer_seconds(study, variant);
  return waiting_seconds(variant.dataflow, variant.timeline.order, variant.copies,
                         seconds_by_node(study, variant.dataflow));
}

}  // namespace stashscope
