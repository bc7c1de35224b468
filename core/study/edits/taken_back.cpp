#include "core/study/edits/taken_back.h"

namespace stashscope {

Choices taken_back(const Choices& now, const Choices& first) {
  Choices back = first;
  back.dims = now.dims;
  back.graph.same_dims = now.graph.same_dims;
  back.times = now.times;
  back.device = now.device;
  return back;
}

Choices plain_choices(const Choices& opened) {
  Choices plain;
  plain.graph.goal = opened.graph.goal;
  plain.plans.search = opened.plans.search;
  return plain;
}

Choices without_plans(Choices choices) {
  if (choices.plans.sequence) forget_planned(choices);
  choices.plans.config.clear();
  choices.plans.pinned.clear();
  choices.plans.level = 0;
  return choices;
}

}  // namespace stashscope
