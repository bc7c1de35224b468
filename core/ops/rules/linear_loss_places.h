#pragma once

#include <cstddef>

/// The places of the operands of LinearCrossEntropyLoss and of its gradient operator:
///   LinearCrossEntropyLoss: (hidden, weight, labels, [bias], [class weights]) -> loss,
///   [log_sum_exp]
///   LinearCrossEntropyLossGrad: (d loss, hidden, weight, labels, log_sum_exp, [bias], [class
///   weights]) -> gradients of hidden, weight and bias
namespace stashscope::linear_loss_places {

/// The places of the inputs that both operators have.
struct Inputs {
  std::size_t hidden;
  std::size_t weight;
  std::size_t labels;
  std::size_t bias;
  std::size_t class_weights;
};
constexpr Inputs forward = {0, 1, 2, 3, 4};
constexpr Inputs backward = {1, 2, 3, 5, 6};

/// The place of a further input of the gradient operator.
constexpr std::size_t log_sum_exp = 4;

}  // namespace stashscope::linear_loss_places
