#include "core/study/search/planning_basis.h"

namespace stashscope {

namespace {

/// The part of the choices that plans depend on: neutral values replace all that planners choose,
/// the device that runs the step, the allocator, and the memory that the step must fit.
Choices planning_basis_of(Choices choices) {
  PlanChoices& plans = choices.plans;
  plans.config = kept_by_planners(plans.config);
  plans.search = effective_search_options(plans);
  plans.search.layer_boundary = false;  // planners try both values
  plans.level = 0;
  plans.sequence.reset();
  choices.order.moves.clear();  // planners drop moves
  choices.device.reset();
  choices.allocator.reset();
  // The memory of the device limits no plan, because a plan is searched for within a budget.
  choices.times.device_memory.reset();
  choices.times.reserve_percent = 0;
  choices.times.profile.memory_bytes = 0;
  choices.times.profile.name.clear();
  return choices;
}

}  // namespace

RecomputeConfig kept_by_planners(const RecomputeConfig& config) {
  RecomputeConfig kept;
  for (const auto& [cluster, choice] : config) {
    if (!is_searched(choice.type) || choice.of_operator) kept.emplace(cluster, choice);
  }
  return kept;
}

bool same_planning_basis(const Choices& a, const Choices& b) {
  Choices first = planning_basis_of(a);
  const Choices second = planning_basis_of(b);
  const bool is_planned = !a.order.strategy || !b.order.strategy;
  if (is_planned) first.order = second.order;
  return first == second;
}

bool same_planning_basis(const Study& a, const Study& b) {
  // The times are compared too, because a measurement changes times without changing choices.
  return a.model == b.model && same_planning_basis(a.choices, b.choices) &&
         (a.times == b.times || a.times->seconds == b.times->seconds);
}

Choices with_plans_of(Choices choices, const Choices& plan) {
  const std::set<std::string> pinned = std::move(choices.plans.pinned);
  choices.plans = plan.plans;
  choices.plans.pinned = pinned;
  choices.order = plan.order;
  return choices;
}

}  // namespace stashscope
