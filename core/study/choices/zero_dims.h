#pragma once

#include "core/study/choices/choices.h"

namespace stashscope {

/// The dimensions that are chosen to be 0.
SizeChoices zero_dims(const SizeChoices& dims);

/// The model with the number 0 for the chosen input dimensions. Call this before shape inference,
/// which assumes that symbols stand for sizes of at least 1 when it simplifies expressions.
/// @param zeros names or `*` patterns; names and patterns without an input dimension are ignored
Graph with_zero_dims(const Graph& model, const SizeChoices& zeros);

}  // namespace stashscope
