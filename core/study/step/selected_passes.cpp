#include "core/study/step/selected_passes.h"

#include "core/run/cpu/execute/evaluate.h"
#include "core/study/choices/same_dims.h"
#include "core/study/choices/zero_dims.h"

namespace stashscope {

PassSelection selected_passes(const GraphChoices& choices) {
  return {choices.passes, choices.precision.value_or(ElementType::undefined), cpu_evaluator()};
}

Graph sized_model(const Graph& model, const GraphChoices& choices, const SizeChoices& zeros) {
  return with_zero_dims(with_same_dims(model, choices.same_dims), zeros);
}

}  // namespace stashscope
