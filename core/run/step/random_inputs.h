#pragma once

#include "core/run/step/runner.h"

namespace stashscope {

/// Adds to `given` the graph inputs, and the initializers without data, that it lacks: normal
/// numbers scaled so that a network stays stable, and integers valid for their use as indices or
/// labels. Equal graph, bindings and seed give equal values. Throws an input Error for inputs of
/// unknown shape and for element types without random data.
NamedTensors with_random_inputs(const Graph& graph, const Bindings& bindings, NamedTensors given,
                                std::uint64_t seed);

}  // namespace stashscope
