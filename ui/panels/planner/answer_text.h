#pragma once

#include <QLabel>

#include "core/study/search/budget.h"
#include "core/study/search/largest_fit.h"

namespace stashscope::ui {

/// `+12.3 ms (+3.1 %)`; `no extra time`.
/// @param step_seconds time of the step without plans
QString more_time_text(double extra_seconds, double step_seconds);

/// Sets up a label for rich text that wraps to the available width.
void set_up_rich_label(QLabel& label, const QString& name);

/// The text in the colour of warnings, as rich text.
QString warning_text(const QString& text, const QPalette& palette);

/// The answer to a budget, as rich text: whether it is met, the peak, the extra time and what is
/// proven.
QString answer_text(const Study& study, const BudgetAnswer& answer);
/// What a running search has proven: how far its best plan is from the cheapest plan, or the lower
/// bound on the peak while no plan meets the budget. Empty while nothing is proven.
QString proof_so_far_text(const Study& study, const BudgetAnswer& so_far);
/// The tensors that cause the lower bound if the budget is not met, what is recomputed, and how
/// long the search took.
QString answer_details(const Study& study, const BudgetAnswer& answer);

/// The peak and the time of a plan: `9.01 GiB (−40 %), +12.3 ms (+3.1 %)`.
QString plan_point_text(const Study& study, const ParetoPoint& point);

/// The largest sizes without and with plans, as rich text: what fits, and why the next size does
/// not.
QString fit_answer_text(const Study& study, const LargestFit& fit);

/// `fits 80 GiB: batch 12`, for the current plans.
QString fit_summary(const LargestFit& fit);

}  // namespace stashscope::ui
