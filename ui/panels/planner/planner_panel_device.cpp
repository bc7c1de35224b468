// The memory of the device as the budget, and the return to the earlier budget when "Make it fit"
// is undone.

#include "core/study/search/budget_input.h"
#include "core/study/step/later_steps.h"
#include "ui/panels/planner/planner_panel.h"

namespace stashscope::ui {

void PlannerPanel::fit_device() {
  // Checked before any field changes: `follow_answer_bar` will choose reserved memory if an
  // allocator is chosen.
  if (refuses_reserved(fits_->has_allocator(), tr("switch Reserved off in Memory"))) return;
  if (!budget_->is_of_device()) {
    fitted_ = Fitted{document_.choices(), {}, budget_->text(), document_.fits_reserved()};
  } else if (fitted_ && !fitted_->after) {
    fitted_->before = document_.choices();
  }
  set_budget_to_device();
  fits_->follow_answer_bar();
  make_fit();
}

/// The memory of the device as a budget; empty if it is unknown.
QString PlannerPanel::device_budget() const {
  const std::int64_t memory = memory_to_fit(*document_.study());
  return memory <= 0 ? QString() : QString::fromStdString(format_budget(memory));
}

/// The limit for the memory that the step takes of the device, including memory outside tensors.
/// This limit is the whole memory of the device: the part that the budget leaves free is meant for
/// memory outside tensors. Nothing unless the budget is the memory of the device and limits
/// reserved memory.
std::optional<std::int64_t> PlannerPanel::device_limit() const {
  if (!budget_->is_of_device() || !document_.allocator_that_fits()) return std::nullopt;
  const Study& study = *document_.study();
  return whole_memory(study.choices.times);
}

void PlannerPanel::set_budget_to_device() {
  const QString budget = device_budget();
  budget.isEmpty() ? budget_->reset() : budget_->set_to_device(budget);
}

/// If the budget is the memory of the device, it changes with the device.
void PlannerPanel::follow_device() {
  if (budget_->is_of_device()) set_budget_to_device();
}

/// When the plan of "Make it fit" is undone, alone or with all else, the fields return to what they
/// had before; redo sets them again. What the user typed since then stays.
void PlannerPanel::follow_fit() {
  if (!fitted_ || planning_.job() != PlanningJob::none) return;
  const Choices& now = document_.choices();
  if (!fitted_->after) {
    const BudgetAnswer* const answer = current_answer();
    const bool is_used =
        answer != nullptr && answer->feasible && planning_.is_in_force(answer->best);
    if (is_used && budget_->is_of_device() && now != fitted_->before) fitted_->after = now;
  } else if ((now == fitted_->before || now == document_.opened_choices()) &&
             budget_->is_of_device()) {
    document_.set_fits_reserved(fitted_->fits_reserved);
    budget_->set_text(fitted_->budget);
  } else if (now == *fitted_->after && budget_->text() == fitted_->budget) {
    fits_->follow_answer_bar();
    set_budget_to_device();
  }
}

}  // namespace stashscope::ui
