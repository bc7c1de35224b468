// The texts of the planner's panel about the budget.

#include "core/study/search/plan_evaluator.h"
#include "ui/document/choice_words.h"
#include "ui/panels/planner/answer_text.h"
#include "ui/panels/planner/planner_panel.h"
#include "ui/text/counted.h"
#include "ui/text/texts.h"

namespace stashscope::ui {

QString PlannerPanel::text_of_answer() const {
  if (document_.study() == nullptr) return tr("Open a model to plan its memory.");
  if (!failure_.isEmpty()) return warning_text(failure_, palette());
  if (planning_.job() == PlanningJob::budget || planning_.job() == PlanningJob::curve) {
    return search_text();
  }
  if (const BudgetAnswer* const answer = current_answer()) {
    const DeviceFit* const offer = offered_fit();
    return text_of(*answer) +
           (offer != nullptr ? offer_text(*document_.study(), *offer) : QString());
  }
  const auto budget = budget_->bytes();
  if (budget && document_.run_job().is_running()) return tr("A search waits for the run to end.");
  return budget ? known_text(*budget) : QString();
}

/// If the answer's plan is on, the text begins with how it changed the peak and the time, because
/// that is what a user who has just applied the plan looks for.
QString PlannerPanel::text_of(const BudgetAnswer& answer) const {
  const Study& study = *document_.study();
  if (!answer.feasible) return answer_text(study, answer);
  if (!planning_.is_in_force(answer.best)) return taken_back_text(study, answer);
  return before_text(study, answer, planning_.before(), planning_.passes_of_answer()) +
         answer_text(study, answer) + reserved_above_text(answer);
}

/// Says that the allocator reserves more than a budget for tensors. Empty if it does not, if the
/// budget was for reserved memory, or if the reserved memory is unknown.
/// @pre the plan of the answer is on
QString PlannerPanel::reserved_above_text(const BudgetAnswer& answer) const {
  const auto& reserved = document_.reserved();
  if (answer.request.allocator || reserved == nullptr || !document_.is_up_to_date()) return {};
  const std::int64_t bytes = reserved->memory.reserved_bytes;
  if (bytes <= answer.request.budget_bytes) return {};
  return planner_paragraph(
      tr("The allocator reserves <b>%1</b> with this plan, more than the budget. Choose \"reserved "
         "memory\" beside Fits to plan for that.")
          .arg(bytes_text_beside(bytes, answer.request.budget_bytes)));
}

QString PlannerPanel::why_no_curve() const {
  if (options_->grain() == PlanGranularity::joint) {
    return tr("The curve is for plans alone: choose Clusters, Nodes or Sequences");
  }
  if (!document_.allocator_that_fits()) return {};
  return tr("The curve is for tensors: choose \"tensors\" beside Fits");
}

QString PlannerPanel::search_text() const {
  if (planning_.is_stopping()) return tr("Stopping…");
  const Study& study = *document_.study();
  if (planning_.job() == PlanningJob::curve) {
    const auto known = planning_.archive(options_->grain()).points().size();
    return tr("Drawing the curve: %1 so far.").arg(counted(known, tr("1 plan"), tr("%1 plans")));
  }
  const auto so_far = planning_.so_far();
  if (!so_far && planning_.request().device_bytes) {
    return tr("Searching for a plan that leaves room in %1 for memory outside tensors…")
        .arg(bytes_text(*planning_.request().device_bytes));
  }
  if (!so_far && planning_.request().allocator) {
    return tr("Searching for a plan with at most %1 of reserved memory…")
        .arg(bytes_text(planning_.request().budget_bytes));
  }
  if (!so_far) return tr("Searching…");
  return tr("Searching for a plan within %1. %2: <b>%3</b>")
             .arg(bytes_text(so_far->request.budget_bytes),
                  so_far->feasible ? tr("Cheapest plan so far") : tr("Lowest peak so far"),
                  plan_point_text(study, so_far->best)) +
         proof_so_far_text(study, *so_far);
}

QString PlannerPanel::nothing_to_plan_text(const Study& study) {
  QString why =
      tr("Nothing to plan: no stashed activation can be recomputed. The Plans panel "
         "says why.");
  if (is_captured(&study)) return why;
  return tr("%1 Choose \"Nodes\" or \"Sequences\" to plan without clusters.").arg(why);
}

/// The text about the budget while no search runs and no answer is shown.
QString PlannerPanel::known_text(std::int64_t budget_bytes) const {
  const Study& study = *document_.study();
  if (document_.allocator_that_fits()) return unplanned_text(budget_bytes);
  if (const ParetoPoint* const plan = planning_.known_plan(options_->grain(), budget_bytes)) {
    return tr("Known plan for %1: <b>%2</b>%3")
        .arg(bytes_text(budget_bytes), plan_point_text(study, *plan),
             planning_.is_in_force(*plan) ? tr(", in use") : QString());
  }
  return unplanned_text(budget_bytes);
}

/// The text about the budget where no plan is known for it.
QString PlannerPanel::unplanned_text(std::int64_t budget_bytes) const {
  const Study& study = *document_.study();
  const std::int64_t now = study.current->timeline.peak_bytes;
  const StepPeakBound* const floor = planning_.floor(options_->grain());
  const auto reserved = document_.allocator_that_fits() ? document_.reserved()
                                                        : std::shared_ptr<const ReservedStep>();
  QString kept = now > budget_bytes ? below_floor_text(study, budget_bytes) : QString();
  if (!kept.isEmpty()) return kept;
  if (floor != nullptr && floor->bytes > budget_bytes) {
    return tr("No plan has a peak below <b>%1</b>.").arg(bytes_text(floor->bytes));
  }
  const auto limit = device_limit();
  const bool has_room = !limit || (reserved != nullptr && reserved->device.high_bytes <= *limit);
  if (reserved != nullptr && reserved->memory.reserved_bytes <= budget_bytes && has_room) {
    return tr("The current plans meet the budget: reserved %1, peak %2.")
        .arg(bytes_text(reserved->memory.reserved_bytes), bytes_text(now));
  }
  if (reserved == nullptr && now <= budget_bytes)
    return tr("The current plans meet the budget: peak %1.").arg(bytes_text(now));
  if (options_->grain() == PlanGranularity::cluster && study.opportunities->plans.empty() &&
      !is_order_searched(study)) {
    return nothing_to_plan_text(study);
  }
  return (reserved != nullptr
              ? tr("Press Plan to search for the cheapest plan with at most %1 of reserved memory.")
              : tr("Press Plan to search for the cheapest plan with a peak of at most %1."))
      .arg(bytes_text(budget_bytes));
}

}  // namespace stashscope::ui
