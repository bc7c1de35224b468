#pragma once

#include "core/study/choices/choices.h"

namespace stashscope {

/// The model with dimensions unified and with dimensions of 0: what the passes are applied to.
/// @param zeros see `zero_dims`
Graph sized_model(const Graph& model, const GraphChoices& choices, const SizeChoices& zeros);

}  // namespace stashscope
