#pragma once

#include <QLabel>

#include "core/study/search/budget.h"
#include "core/study/search/largest_fit.h"

namespace stashscope::ui {

/// `+12.3 ms (+3.1 %)`; `no extra time`.
/// @param step_seconds of the step without plans
QString more_time_text(double extra_seconds, double step_seconds);

/// For rich text that is as narrow as its place and as high as it must be.
void set_up_rich_label(QLabel& label, const QString& name);

/// The text in the colour of warnings, as rich text.
QString warning_text(const QString& text, const QPalette& palette);

/// What a budget is answered with, as rich text: met or not, the peak and the time, what is proven.
QString answer_text(const Study& study, const BudgetAnswer& answer);
/// What is proven of a search that goes on: how near its best so far is to the cheapest, or the
/// floor while none is within the budget. Empty while nothing is known.
QString proof_so_far_text(const Study& study, const BudgetAnswer& so_far);
/// The tensors that make the floor where the budget is not met, what runs again, and how it was
/// searched.
QString answer_details(const Study& study, const BudgetAnswer& answer);

/// The peak and the time of a plan: `9.01 GiB (−40 %), +12.3 ms (+3.1 %)`.
QString plan_point_text(const Study& study, const ParetoPoint& point);

/// The largest values before and after, as rich text: what fits, the next one that fails and why.
QString fit_answer_text(const Study& study, const LargestFit& fit);

/// `fits 80 GiB: batch 12`, for the plans in force.
QString fit_summary(const LargestFit& fit);

}  // namespace stashscope::ui
