#include "core/study/step/strategy_names.h"

#include "core/schedule/fusion/fusions.h"

namespace stashscope {

void check_strategy_names(const Choices& choices) {
  if (choices.order.strategy) find_order(*choices.order.strategy);
  if (choices.fusion.strategy) find_fusion(*choices.fusion.strategy);
}

}  // namespace stashscope
