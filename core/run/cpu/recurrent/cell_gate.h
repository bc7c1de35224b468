#pragma once

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/ops/rules/recurrent.h"
#include "core/run/shared/dispatch.h"

namespace stashscope::cpu {

/// Applies an activation function as ONNX defines it.
template <class C>
C activated(const CellActivation& activation, C x) {
  const auto alpha = static_cast<C>(activation.alpha);
  const auto beta = static_cast<C>(activation.beta);
  switch (activation.function) {
    case CellFunction::relu:
      return std::max(x, C(0));
    case CellFunction::tanh:
      return std::tanh(x);
    case CellFunction::sigmoid:
      return C(1) / (C(1) + std::exp(-x));
    case CellFunction::affine:
      return alpha * x + beta;
    case CellFunction::leaky_relu:
      return x < 0 ? alpha * x : x;
    case CellFunction::thresholded_relu:
      return x < alpha ? C(0) : x;
    case CellFunction::scaled_tanh:
      return alpha * std::tanh(beta * x);
    case CellFunction::hard_sigmoid:
      return std::clamp(alpha * x + beta, C(0), C(1));
    case CellFunction::elu:
      return x < 0 ? alpha * std::expm1(x) : x;
    case CellFunction::softsign:
      return x / (C(1) + std::abs(x));
    case CellFunction::softplus:
      return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
  }
  return x;
}

/// The derivative of the function where its value is `y`.
template <class C>
C slope_at(const CellActivation& activation, C y) {
  const auto alpha = static_cast<C>(activation.alpha);
  const auto beta = static_cast<C>(activation.beta);
  switch (activation.function) {
    case CellFunction::relu:
      return y > 0 ? C(1) : C(0);
    case CellFunction::tanh:
      return C(1) - y * y;
    case CellFunction::sigmoid:
      return y * (C(1) - y);
    case CellFunction::affine:
      return alpha;
    case CellFunction::leaky_relu:
      return y > 0 ? C(1) : alpha;  // tests y > 0: with alpha 0, y is not below 0 for x < 0
    case CellFunction::thresholded_relu:
      return y != 0 ? C(1) : C(0);
    case CellFunction::scaled_tanh:
      return alpha == 0 ? C(0) : beta * (alpha - y * y / alpha);
    case CellFunction::hard_sigmoid:
      return y > 0 && y < 1 ? alpha : C(0);
    case CellFunction::elu:
      return y > 0 ? C(1) : y + alpha;
    case CellFunction::softsign:
      return (C(1) - std::abs(y)) * (C(1) - std::abs(y));
    case CellFunction::softplus:
      return -std::expm1(-y);
  }
  return C(1);
}

/// An activation and the bound to which its inputs are clipped.
template <class C>
class CellGate {
 public:
  /// @param stored the element type of the stored values from which the gradient is computed
  CellGate(const CellActivation& activation, std::optional<double> clip, ElementType stored)
      : activation_(activation) {
    if (!clip) return;
    clip_ = static_cast<C>(*clip);
    kernels::with_floating(stored, [&](auto tag) {
      using T = typename decltype(tag)::type;
      const auto rounded = [](C value) {
        return static_cast<C>(
            static_cast<kernels::Compute<T>>(T(static_cast<kernels::Compute<T>>(value))));
      };
      least_ = rounded(activated(activation, -*clip_));
      greatest_ = rounded(activated(activation, *clip_));
    });
  }

  C operator()(C x) const {
    return activated(activation_, clip_ ? std::clamp(x, -*clip_, *clip_) : x);
  }

  /// The derivative where the value is `y`; 0 where the input was clipped.
  C slope(C y) const {
    if (clip_ && (y == least_ || y == greatest_)) return C(0);
    return slope_at(activation_, y);
  }

 private:
  CellActivation activation_;
  std::optional<C> clip_;
  C least_ = 0;
  C greatest_ = 0;
};

/// The activations of one direction.
template <class C>
struct CellGates {
  CellGate<C> f;  ///< activation of the gates, or of RNN's state
  CellGate<C> g;  ///< activation of the candidate of GRU and LSTM
  CellGate<C> h;  ///< activation of LSTM's cell state; `clip` does not apply, as in ONNX Runtime

  CellGates(const Recurrence& attributes, std::int64_t direction, ElementType stored)
      : f(at(attributes, direction, 0), attributes.clip, stored),
        g(at(attributes, direction, 1), attributes.clip, stored),
        h(at(attributes, direction, 2), std::nullopt, stored) {}

 private:
  static CellActivation at(const Recurrence& attributes, std::int64_t direction,
                           std::size_t index) {
    const auto& all = attributes.activations[static_cast<std::size_t>(direction)];
    return index < all.size() ? all[index] : CellActivation{};
  }
};

}  // namespace stashscope::cpu
