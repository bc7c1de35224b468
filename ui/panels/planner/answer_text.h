#pragma once

#include <QLabel>

#include "core/passes/graph_pass.h"
#include "core/study/search/budget.h"
#include "core/study/search/device_fit.h"
#include "ui/document/planning.h"

namespace stashscope::ui {

/// The extra time, also as a share of the step: `+12.3 ms (+3.1 %)`. For 0 and below: `no extra
/// time`. @param step_seconds time of the step without plans
QString more_time_text(double extra_seconds, double step_seconds);

/// Sets up a label for rich text that wraps to the available width.
void set_up_rich_label(QLabel& label, const QString& name);

/// The plain text in the colour of warnings, as rich text.
QString warning_text(const QString& text, const QPalette& palette);

/// The answer to a budget, as rich text: whether the budget is met, the peak and the extra time of
/// the best plan, and what is proven.
QString answer_text(const Study& study, const BudgetAnswer& answer);
/// Says how the search changed the peak and the time of the step, and how many passes it switched
/// on, as rich text. Empty if neither peak nor time changed.
/// @param study the step with the answer's passes
/// @param before the step when the search began
/// @pre the plan of the answer is on
QString before_text(const Study& study, const BudgetAnswer& answer, const StepFigures& before,
                    const std::vector<const GraphPass*>& passes);
/// The peak and the time that the step would have with the plans and passes of an offer, as rich
/// text; the passes add no time. Empty for a joint answer, whose own text says all this.
QString offer_text(const Study& study, const DeviceFit& offer);
/// The bytes of the step that no plan frees, as rich text; empty unless they exceed the budget.
/// @param bound the lower bound that the text before this one states; null: none
QString below_floor_text(const Study& study, std::int64_t budget_bytes,
                         const StepPeakBound* bound = nullptr);
/// The answer to a budget whose plan was found and applied, but is no longer in use, as rich text.
QString taken_back_text(const Study& study, const BudgetAnswer& answer);
/// What a running search has proven: how far its best plan is from the cheapest plan, or the lower
/// bound on the peak while no plan meets the budget. Empty while no lower bound on the peak is
/// known.
QString proof_so_far_text(const Study& study, const BudgetAnswer& so_far);
/// Details of an answer, as rich text: if the budget is not met, the tensors that cause the lower
/// bound; then the passes that were switched on, the plans of the best result, and how long the
/// search took. For a joint answer: `explanation_text`, and how long the search took.
QString answer_details(const Study& study, const BudgetAnswer& answer,
                       const std::vector<const GraphPass*>& passes = {});

/// A peak compared with the step without plans: `(−40 % of 15.0 GiB without plans)`.
QString without_plans_text(const Study& study, std::int64_t peak_bytes);

/// The peak and the time of a plan: `9.01 GiB (−40 % of 15.0 GiB without plans), +12.3 ms
/// (+3.1 %)`.
/// @param beside an amount that is shown with the peak; if the two differ, so do their texts
QString plan_point_text(const Study& study, const ParetoPoint& point,
                        std::optional<std::int64_t> beside = {});

/// The text as a paragraph of the planner's answers, as rich text.
QString planner_paragraph(const QString& text);

/// The name of a node or tensor, escaped for rich text. A long name is elided in the middle.
QString planner_name(const std::string& name);

/// An addition to a peak: `, reserved 11.5 GiB`. Empty if reserved memory was not asked for.
/// @param other an amount that is shown with the reserved memory; if the two differ, so do their
/// texts
QString reserved_beside(const std::optional<std::int64_t>& reserved, std::int64_t other);

}  // namespace stashscope::ui
