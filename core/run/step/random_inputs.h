#pragma once

#include "core/run/step/runner.h"

namespace stashscope {

/// Values for every graph input (and initializer without data) that `given` lacks: normal numbers
/// of a size that keeps a network stable, integers that are valid where they are used as indices or
/// labels. The same for the same graph, bindings and seed. Throws an input Error for inputs of
/// unknown shape.
NamedTensors with_random_inputs(const Graph& graph, const Bindings& bindings, NamedTensors given,
                                std::uint64_t seed);

}  // namespace stashscope
