#include "core/study/step/sized_model.h"

#include "core/study/choices/same_dims.h"
#include "core/study/choices/zero_dims.h"

namespace stashscope {

Graph sized_model(const Graph& model, const GraphChoices& choices, const SizeChoices& zeros) {
  return with_zero_dims(with_same_dims(model, choices.same_dims), zeros);
}

}  // namespace stashscope
