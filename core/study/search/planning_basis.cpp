#include "core/study/search/planning_basis.h"

namespace stashscope {

namespace {

/// The choices with neutral values for everything that planners choose.
Choices without_plans(Choices choices) {
  choices.plans = own_part(choices.plans);
  choices.recompute_search = effective_search_options(choices);
  choices.recompute_search.layer_boundary = false;  // both are tried
  choices.level = 0;
  choices.planned = {};
  choices.moves.clear();  // planners drop them
  choices.device = Choices().device;
  return choices;
}

}  // namespace

bool same_planning_basis(const Choices& a, const Choices& b) {
  Choices first = without_plans(a);
  const Choices second = without_plans(b);
  const bool is_planned = a.order == planned_order || b.order == planned_order;
  if (is_planned) first.order = second.order;
  return first == second;
}

bool same_planning_basis(const Study& a, const Study& b) {
  // Times are compared too: a run changes them without changing choices.
  return a.model == b.model && same_planning_basis(a.choices, b.choices) &&
         (a.times == b.times || a.times->seconds == b.times->seconds);
}

Choices with_plans_of(Choices choices, const Choices& plan) {
  choices.plans = plan.plans;
  choices.recompute_search = plan.recompute_search;
  choices.level = plan.level;
  choices.planned = plan.planned;
  choices.order = plan.order;
  choices.moves = plan.moves;
  return choices;
}

}  // namespace stashscope
