#pragma once

#include "core/graph/graph.h"

namespace stashscope::bench {

/// The forward pass of a transformer with its loss, written out as exporters write it: decomposed
/// normalizations and activations, reshapes to computed sizes.
Graph layered_model(int layers);

/// Towers of equal depth that read one input side by side and are added up at the end.
Graph towers_model(int towers);

}  // namespace stashscope::bench
