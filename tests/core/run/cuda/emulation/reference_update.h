#pragma once

// Reference results of optimizers.

#include "core/graph/tensor.h"
#include "core/run/cuda/ops/update.h"

namespace stashscope::testing_run {

/// A parameter, its gradient, the step, and the states as on the device.
struct UpdateCase {
  cuda::UpdateShape shape;
  std::int64_t step = 1;
  std::vector<Tensor> operands;
};

/// The operands after the step.
std::vector<Tensor> expected_of(const UpdateCase& each);

}  // namespace stashscope::testing_run
