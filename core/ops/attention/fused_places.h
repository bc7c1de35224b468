#pragma once

#include <cstddef>

/// The places of the operands of FusedAttention and FusedAttentionGrad:
///   FusedAttention: (Q, K, V, operands of the steps...) -> Y, [log_sum_exp]
///   FusedAttentionGrad: (dY, Q, K, V, [Y], [log_sum_exp], operands of the steps...) ->
///   [dQ], [dK], [dV], [gradients of the operands of the steps...]
namespace stashscope::fused_places {

/// The places of the inputs that both operators have.
struct Inputs {
  std::size_t query;          ///< then K and V
  std::size_t step_operands;  ///< the first operand of the steps
};
constexpr Inputs forward = {0, 3};
constexpr Inputs backward = {1, 6};

/// Further inputs of FusedAttentionGrad.
constexpr std::size_t result = 4;
constexpr std::size_t log_sum_exp = 5;

/// The first output of FusedAttentionGrad that is a gradient of an operand of the steps.
constexpr std::size_t first_step_gradient = 3;

}  // namespace stashscope::fused_places
