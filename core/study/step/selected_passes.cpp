#include "core/study/step/selected_passes.h"

#include "core/run/cpu/execute/evaluate.h"

namespace stashscope {

PassSelection selected_passes(const GraphChoices& choices) {
  return {choices.passes, choices.precision.value_or(ElementType::undefined), cpu_evaluator(),
          choices.gradient_type.value_or(ElementType::undefined), choices.what_ifs};
}

}  // namespace stashscope
