#pragma once

#include <cstddef>

namespace stashscope {

/// The places of the operands among the inputs of LinearCrossEntropyLoss or of its gradient.
struct LinearLossOperands {
  std::size_t hidden;
  std::size_t weight;
  std::size_t labels;
  std::size_t bias;
  std::size_t class_weights;
};
constexpr LinearLossOperands in_linear_loss = {0, 1, 2, 3, 4};
constexpr LinearLossOperands in_linear_loss_gradient = {1, 2, 3, 5, 6};

}  // namespace stashscope
