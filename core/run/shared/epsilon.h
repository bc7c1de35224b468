#pragma once

#include "core/run/shared/kernel.h"

namespace stashscope::kernels {

/// The number that normalizations add to the variance; 1e-5 by default. (ONNX,
/// BatchNormalization, LayerNormalization)
inline double epsilon_of(const Attributes& attributes) {
  return double{attributes.real("epsilon", 1e-5F)};
}
inline double epsilon_of(const KernelContext& context) { return epsilon_of(context.attributes()); }

}  // namespace stashscope::kernels
