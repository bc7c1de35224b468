#pragma once

#include "core/run/step/runner.h"

namespace stashscope {

/// Adds the missing graph inputs, except sums of gradients, and the missing data of initializers to
/// `given`. Floating-point tensors get normal numbers, scaled so that activations neither vanish
/// nor explode; integer tensors get valid indices or labels, or 0 and 1 if no operator bounds their
/// elements. Inputs that are split into micro-batches get the samples of the whole batch. If the
/// step leaves tokens out, and `given` has neither the mask nor the labels, as many tokens are kept
/// as the sizes say. The same arguments give the same values. Throws an input Error for inputs
/// whose shape is unknown or has a dim without a value, for element types without random data, and
/// for a missing data file.
NamedTensors with_random_inputs(const Graph& graph, const Bindings& bindings, NamedTensors given,
                                std::uint64_t seed);

}  // namespace stashscope
