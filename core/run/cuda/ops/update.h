#pragma once

#include "core/memory/optimizer.h"
#include "core/run/cuda/codegen/lowering.h"

namespace stashscope::cuda {

/// How far an optimizer moves parameters, with the defaults of PyTorch's torch.optim (there,
/// momentum is 0 and AdamW decays weights by 0.01). What an optimizer does not know does not matter
/// to it.
struct UpdateRates {
  double learning_rate = 1e-3;
  double momentum = 0.9;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  double weight_decay = 0;
};

/// The update of one parameter by its gradient.
struct UpdateShape {
  std::string optimizer;  ///< `sgd`, `momentum`, `adam`, `adamw` or `none` (memory/optimizer.h)
  ElementType parameter = ElementType::float32;
  ElementType gradient = ElementType::float32;
  std::int64_t elements = 0;
  bool master_weights = false;  ///< a parameter of 16 bits is rounded from a float32 copy
  UpdateRates rates = {};
};

/// Operands of updates, in the terms of Lowered.
namespace update_operands {
inline constexpr Operand parameter = input(0);
inline constexpr Operand gradient = input(1);
/// One 64-bit integer in the device's memory: which step this is, 1 for the first. The kernels of
/// `adam` and `adamw` read it.
inline constexpr Operand step = input(2);
/// The optimizer's states in the order of `optimizer_states`, all of the parameter's shape.
constexpr Operand state(std::size_t index) { return input(3 + index); }
}  // namespace update_operands

/// One kernel that moves the parameter and the states where they lie. Formulas: those of PyTorch's
/// SGD, Adam (Kingma and Ba, arXiv 1412.6980) and AdamW (Loshchilov and Hutter, arXiv 1711.05101),
/// computed in float32 (float64 for float64). A momentum buffer is all 0 before the first step.
/// Throws a usage Error for an unknown optimizer, a run Error for types that are not floating.
Lowered lower_update(const UpdateShape& shape);

}  // namespace stashscope::cuda
