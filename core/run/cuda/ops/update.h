#pragma once

#include "core/memory/optimizer.h"
#include "core/run/cuda/codegen/lowering.h"

namespace stashscope::cuda {

/// Hyperparameters of an update. The defaults are those of PyTorch's torch.optim, with two
/// exceptions: in torch.optim, momentum is 0 and AdamW has a weight decay of 0.01. Each optimizer
/// ignores the hyperparameters that it does not use.
struct UpdateRates {
  double learning_rate = 1e-3;
  double momentum = 0.9;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  double weight_decay = 0;
};

/// Describes the update of one parameter by its gradient.
struct UpdateShape {
  std::string optimizer;  ///< `sgd`, `momentum`, `adam`, `adamw` or `none` (memory/optimizer.h)
  ElementType parameter = ElementType::float32;
  ElementType gradient = ElementType::float32;
  std::int64_t elements = 0;
  bool master_weights = false;  ///< 16-bit parameters are rounded from a float32 copy
  UpdateRates rates = {};
};

/// Operands of an update, as used in Lowered.
namespace update_operands {
inline constexpr Operand parameter = input(0);
inline constexpr Operand gradient = input(1);
/// A 64-bit integer in device memory: the number of the training step, 1 for the first step. Only
/// the kernels of `adam` and `adamw` read this number.
inline constexpr Operand step = input(2);
/// State `index` in the order of `optimizer_states`. It has the parameter's shape, because only
/// optimizers without a kernel have states of other shapes.
constexpr Operand state(std::size_t index) { return input(3 + index); }
}  // namespace update_operands

/// One kernel that updates the parameter and the states in place; no call if the optimizer is
/// `none` or the parameter is empty. The formulas are those of PyTorch's SGD, Adam (Kingma and Ba,
/// arXiv 1412.6980) and AdamW (Loshchilov and Hutter, arXiv 1711.05101). The kernel computes in
/// float32 (float64 for float64). A momentum buffer must be all 0 before the first step. Throws a
/// usage Error for an unknown optimizer and one without a kernel, a run Error for types other than
/// floating-point types.
Lowered lower_update(const UpdateShape& shape);

}  // namespace stashscope::cuda
