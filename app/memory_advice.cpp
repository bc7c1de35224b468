#include "app/memory_advice.h"

#include "core/base/advice.h"
#include "core/base/text.h"
#include "core/study/facts/plan_summary.h"
#include "core/study/search/budget.h"

namespace stashscope::app {

namespace {

/// Time limit of the search in seconds. It is short because the user sees the error message only
/// after the search.
constexpr double advice_seconds = 10;

std::int64_t peak_of(const Study& study) { return study.current->timeline.peak_bytes; }

/// The budget of the search for a plan that fits. If the predicted peak exceeds `available_bytes`,
/// the budget is `available_bytes`. Otherwise the step needs more memory than predicted, because it
/// did not fit although its predicted peak fits. In this case, the budget is 90 % of the predicted
/// peak.
std::int64_t budget_below(const Study& study, std::int64_t available_bytes) {
  const std::int64_t peak = peak_of(study);
  return peak <= available_bytes ? peak - peak / 10 : available_bytes;
}

std::string way_on(const BudgetAnswer& answer) {
  const std::int64_t budget = answer.request.budget_bytes;
  if (answer.is_impossible()) {
    return "no plan of any grain has a peak of " + format_bytes(budget) +
           " or less: choose smaller dimensions";
  }
  return "choose smaller dimensions" +
         option_words({Advice::Action::plan_single_nodes, std::to_string(budget)});
}

std::string lowest_found(const Study& study, const BudgetAnswer& answer) {
  const bool is_lower = answer.best.peak_bytes < peak_of(study);
  if (!is_lower) {
    return "the search for cluster plans found no peak below the current peak of " +
           format_bytes(peak_of(study));
  }
  return "the search for cluster plans found no plan that fits; the lowest peak found is " +
         format_bytes(answer.best.peak_bytes);
}

}  // namespace

std::string memory_advice(const Study& study, std::int64_t available_bytes) {
  const std::int64_t budget = budget_below(study, available_bytes);
  ParetoFront archive;
  const BudgetAnswer answer = plan_for_budget(
      study, {budget, PlanGranularity::cluster, {.seconds = advice_seconds}}, archive, Progress());
  const std::string unlike_predicted =
      budget == available_bytes ? "" : "the step was predicted to fit but did not fit; ";
  if (!answer.feasible) {
    return unlike_predicted + lowest_found(study, answer) + "; " + way_on(answer);
  }
  return unlike_predicted + "a plan with a peak of " + format_bytes(answer.best.peak_bytes) +
         " fits: " + plan_text(answer.best.choices);
}

}  // namespace stashscope::app
