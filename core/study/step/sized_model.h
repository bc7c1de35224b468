#pragma once

#include "core/study/choices/choices.h"

namespace stashscope {

/// The model to which passes are applied: dimensions that the user unified are one dimension, and
/// dimensions chosen to be 0 are the number 0.
/// @param zeros see `zero_dims`
Graph sized_model(const Graph& model, const GraphChoices& choices, const SizeChoices& zeros);

}  // namespace stashscope
