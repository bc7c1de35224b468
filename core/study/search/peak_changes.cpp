#include "core/study/search/peak_changes.h"

#include "core/base/error.h"
#include "core/study/edits/edits.h"
#include "core/study/search/plan_evaluator.h"

namespace stashscope {

bool is_fully_applied(const PlanRow& row) {
  return row.occurrences == nullptr || row.applied == static_cast<int>(row.occurrences->size());
}

Choices with_row_switched(const Study& study, const PlanRow& row) {
  return with_plan(study, study.choices, row, !is_fully_applied(row));
}

bool can_try_rows(const Study& study) {
  return !is_order_searched(study) && !study.choices.plans.sequence;
}

std::optional<std::int64_t> peak_change(const Study& study, const PlanRow& row,
                                        const Progress& progress) {
  try {
    const auto changed =
        compute_study(study.model, with_row_switched(study, row), &study, progress);
    return changed->current->timeline.peak_bytes - study.current->timeline.peak_bytes;
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::cancelled) throw;
    return std::nullopt;
  }
}

}  // namespace stashscope
