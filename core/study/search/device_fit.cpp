#include "core/study/search/device_fit.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/base/error.h"
#include "core/study/search/next_moves.h"
#include "core/study/search/plan_evaluator.h"

namespace stashscope {

namespace {

constexpr std::size_t all_passes = std::numeric_limits<std::size_t>::max();

/// Peak and time of the current step.
struct StepPrice {
  std::int64_t peak_bytes = 0;
  double seconds = 0;
};

StepPrice price_of(const Study& study) {
  return {study.current->timeline.peak_bytes, step_seconds(study, *study.current)};
}

/// The study with one more pass switched on. Null if the pass cannot be applied, for example
/// because the choices name a node that the pass replaces.
std::shared_ptr<const Study> study_with(const Study& study, const GraphPass& pass,
                                        const Progress& progress) {
  Choices choices = study.choices;
  choices.graph.passes.emplace(pass.name);
  try {
    return compute_study(study.model, choices, &study, progress);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::cancelled) throw;
    return nullptr;
  }
}

/// Time of the step with the best plan of an answer.
double seconds_of(const Study& study, const BudgetAnswer& answer) {
  return step_seconds(study, *study.baseline) + answer.best.extra_seconds;
}

/// The study with its free passes. The study itself if it has no free passes, if its order is
/// searched or planned, or if the search for passes is cancelled.
std::shared_ptr<const Study> freed(const std::shared_ptr<const Study>& study,
                                   const Progress& progress,
                                   std::vector<const GraphPass*>& passes) {
  if (is_order_searched(*study) || study->choices.plans.sequence) return study;
  try {
    const Choices choices = with_free_passes(*study, progress, passes);
    return passes.empty() ? study : compute_study(study->model, choices, study.get(), progress);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::cancelled) throw;
    passes.clear();
    return study;
  }
}

}  // namespace

Choices with_free_passes(const Study& study, const Progress& progress,
                         std::vector<const GraphPass*>& passes) {
  std::shared_ptr<const Study> best;
  for (const GraphPass* const pass : passes_to_try(study, all_passes, progress)) {
    const Study& now = best == nullptr ? study : *best;
    auto then = study_with(now, *pass, progress);
    if (then == nullptr) continue;
    const StepPrice before = price_of(now);
    const StepPrice after = price_of(*then);
    if (after.peak_bytes >= before.peak_bytes || after.seconds > before.seconds) continue;
    passes.push_back(pass);
    best = std::move(then);
  }
  return best == nullptr ? study.choices : best->choices;
}

BudgetOffers plan_with_offers(const std::shared_ptr<const Study>& study,
                              const BudgetRequest& request, double share_without,
                              ParetoFront& archive, const Progress& progress, const OnPlan& on_plan,
                              const OnProof& on_proof) {
  const SearchClock clock(request.limit, progress);
  std::vector<const GraphPass*> passes;
  const auto with_passes = freed(study, progress, passes);
  BudgetRequest part = request;
  if (!passes.empty()) part.limit = share_of(request.limit, share_without);
  BudgetOffers offers;
  offers.plain = plan_for_budget(*study, part, archive, progress, on_plan, on_proof);
  offers.plain.request = request;
  const bool is_free = offers.plain.feasible && offers.plain.best.extra_seconds <= 0;
  if (passes.empty() || is_free || progress.cancelled()) return offers;
  DeviceFit passed{with_passes, std::move(passes), {}, {}};
  part.limit = share_of(request.limit, 1 - share_without);
  passed.answer = plan_for_budget(*with_passes, part, passed.found, progress);
  passed.answer.request = request;
  offers.plain.seconds = passed.answer.seconds = clock.seconds();
  const bool is_better =
      passed.answer.feasible && (!offers.plain.feasible || seconds_of(*with_passes, passed.answer) <
                                                               seconds_of(*study, offers.plain));
  if (is_better) offers.with_passes = std::move(passed);
  return offers;
}

DeviceFit plan_to_fit(const std::shared_ptr<const Study>& study, const BudgetRequest& request,
                      ParetoFront& archive, const Progress& progress, const OnPlan& on_plan,
                      const OnProof& on_proof) {
  BudgetOffers offers = plan_with_offers(study, request, 0.5, archive, progress, on_plan, on_proof);
  if (offers.with_passes) return *std::move(offers.with_passes);
  return {study, {}, std::move(offers.plain), {}};
}

}  // namespace stashscope
