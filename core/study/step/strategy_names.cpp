#include "core/study/step/strategy_names.h"

#include "core/schedule/fusion/fusions.h"

namespace stashscope {

void check_strategy_names(const Choices& choices) {
  if (choices.order.strategy) find_order(*choices.order.strategy);
  if (choices.fusion.strategy) find_fusion(*choices.fusion.strategy);
}

void choose_order_named(const std::string& name, Choices& choices) {
  const bool is_planned = name == planned_order && choices.plans.sequence;
  if (is_planned) return choose_order(choices, std::nullopt);
  choose_order(choices, std::string(find_order(name).name));
}

}  // namespace stashscope
