// Elementwise functions of one input, activations with a bias, and their gradient operators.

#include <cmath>
#include <numbers>

#include "core/run/cpu/kernels/families.h"
#include "core/run/cpu/primitives/broadcast.h"
#include "core/run/shared/wrapping.h"

namespace stashscope::cpu {

namespace {

/// Applies `function` to every element of input 0, converted to the compute type.
template <class Function>
void map_floating(const KernelContext& context, Function function) {
  with_floating(context.out().element, [&](auto tag) {
    using T = typename decltype(tag)::type;
    map_elements<T, T>(context.in(0), context.out(), function);
  });
}

template <auto function>
void floating(const KernelContext& context) {
  map_floating(context, function);
}

template <auto function>
void number(const KernelContext& context) {
  with_number(context.out().element, [&](auto tag) {
    using T = typename decltype(tag)::type;
    map_elements<T, T>(context.in(0), context.out(), function);
  });
}

/// Maps floating elements to booleans.
template <auto function>
void flag(const KernelContext& context) {
  with_floating(context.in(0).element, [&](auto tag) {
    using T = typename decltype(tag)::type;
    map_elements<T, bool>(context.in(0), context.out(), function);
  });
}

/// Applies `function` to pairs of elements of inputs 0 and 1. The two inputs are dy and the input
/// or output of the forward operator, or x and a bias.
template <auto function>
void gradient(const KernelContext& context) {
  with_floating(context.out().element, [&](auto tag) {
    using T = typename decltype(tag)::type;
    broadcast_binary<T, T>(context.in(0), context.in(1), context.out(), function);
  });
}

// Functions for floating and integer types. They map NaN to NaN.

constexpr auto absolute = [](auto x) {
  if constexpr (std::is_unsigned_v<decltype(x)>) {
    return x;
  } else {
    return x < 0 ? wrapping_difference(decltype(x)(0), x) : x;
  }
};
constexpr auto negated = [](auto x) { return wrapping_difference(decltype(x)(0), x); };
constexpr auto sign = [](auto x) {
  using T = decltype(x);
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(x)) return x;
  }
  return static_cast<T>(static_cast<T>(x > 0) - static_cast<T>(x < 0));
};
constexpr auto relu = [](auto x) { return x < 0 ? decltype(x)(0) : x; };

/// The sigmoid function. Never exponentiates a large positive number, which would overflow.
template <class T>
T logistic(T x) {
  const T e = std::exp(-std::abs(x));
  return x < 0 ? e / (1 + e) : 1 / (1 + e);
}

template <class T>
T softplus(T x) {
  return std::log1p(std::exp(-std::abs(x))) + std::max(x, T(0));
}

/// Phi(x) of the GELU x * Phi(x). (Hendrycks and Gimpel, arXiv 1606.08415)
template <class T>
T normal_distribution(T x) {
  return (1 + std::erf(x * static_cast<T>(std::numbers::sqrt2 / 2))) / 2;
}
template <class T>
T gelu(T x) {
  return x * normal_distribution(x);
}
template <class T>
T gelu_slope(T x) {
  constexpr double density_at_zero = std::numbers::inv_sqrtpi / std::numbers::sqrt2;
  return normal_distribution(x) + x * static_cast<T>(density_at_zero) * std::exp(-x * x / 2);
}

/// The argument of the tanh that approximates GELU: sqrt(2 / pi) * (x + 0.044715 x^3).
template <class T>
T tanh_argument(T x) {
  constexpr double scale = std::numbers::sqrt2 * std::numbers::inv_sqrtpi;
  return static_cast<T>(scale) * (x + static_cast<T>(0.044715) * x * x * x);
}
template <class T>
T fast_gelu(T x) {
  return x * (1 + std::tanh(tanh_argument(x))) / 2;
}
template <class T>
T fast_gelu_slope(T x) {
  constexpr double scale = std::numbers::sqrt2 * std::numbers::inv_sqrtpi;
  const T t = std::tanh(tanh_argument(x));
  const T inner = static_cast<T>(scale) * (1 + static_cast<T>(3 * 0.044715) * x * x);
  return (1 + t) / 2 + x * (1 - t * t) * inner / 2;
}

constexpr auto apply_gelu = [](auto x) { return gelu(x); };
constexpr auto apply_fast_gelu = [](auto x) { return fast_gelu(x); };

/// The attribute `name`, or `otherwise` if it is absent, as a double.
double attribute(const KernelContext& context, const char* name, float otherwise) {
  return double{context.attributes().real(name, otherwise)};
}

/// Applies a function of an element and the attribute `alpha`, whose default is `otherwise`.
template <auto function>
void with_alpha(const KernelContext& context, float otherwise) {
  const double alpha = attribute(context, "alpha", otherwise);
  map_floating(context, [alpha](auto x) { return function(x, static_cast<decltype(x)>(alpha)); });
}

void leaky_relu(const KernelContext& context) {
  with_alpha<[](auto x, auto alpha) { return x < 0 ? alpha * x : x; }>(context, 0.01F);
}
void elu(const KernelContext& context) {
  with_alpha<[](auto x, auto alpha) { return x < 0 ? alpha * std::expm1(x) : x; }>(context, 1.0F);
}
void celu(const KernelContext& context) {
  with_alpha<[](auto x, auto alpha) { return x < 0 ? alpha * std::expm1(x / alpha) : x; }>(context,
                                                                                           1.0F);
}
void thresholded_relu(const KernelContext& context) {
  with_alpha<[](auto x, auto alpha) { return alpha < x ? x : decltype(x)(0); }>(context, 1.0F);
}
void quick_gelu(const KernelContext& context) {
  with_alpha<[](auto x, auto alpha) { return x * logistic(alpha * x); }>(context, 1.702F);
}

void selu(const KernelContext& context) {
  const double alpha = attribute(context, "alpha", 1.67326319217681884765625F);
  const double gamma = attribute(context, "gamma", 1.05070102214813232421875F);
  map_floating(context, [=](auto x) {
    using T = decltype(x);
    return static_cast<T>(gamma) * (x > 0 ? x : static_cast<T>(alpha) * std::expm1(x));
  });
}

template <class T>
T ramp(T x, double alpha, double beta) {
  const T line = static_cast<T>(alpha) * x + static_cast<T>(beta);
  return line < 0 ? T(0) : line > 1 ? T(1) : line;
}

void hard_sigmoid(const KernelContext& context) {
  const double alpha = attribute(context, "alpha", 0.2F);
  const double beta = attribute(context, "beta", 0.5F);
  map_floating(context, [=](auto x) { return ramp(x, alpha, beta); });
}

void onnx_gelu(const KernelContext& context) {
  const bool tanh_form = context.attributes().text("approximate", "none") == "tanh";
  tanh_form ? map_floating(context, apply_fast_gelu) : map_floating(context, apply_gelu);
}

void quick_gelu_grad(const KernelContext& context) {
  const double factor = attribute(context, "alpha", 1.702F);
  with_floating(context.out().element, [&](auto tag) {
    using T = typename decltype(tag)::type;
    broadcast_binary<T, T>(context.in(0), context.in(1), context.out(), [factor](auto dy, auto x) {
      const auto alpha = static_cast<decltype(x)>(factor);
      const auto gate = logistic(alpha * x);
      return dy * gate * (1 + alpha * x * (1 - gate));
    });
  });
}

/// `function(x + bias)` if the bias, input 1, is present, else `function(x)`.
template <auto function>
void with_bias(const KernelContext& context) {
  if (!context.has_input(1)) return map_floating(context, function);
  gradient<[](auto x, auto bias) { return function(x + bias); }>(context);
}

/// (dy, x, bias): dy times the slope at x + bias.
template <auto slope>
void bias_gradient(const KernelContext& context) {
  const TensorView& out = context.out();
  with_floating(out.element, [&](auto tag) {
    using T = typename decltype(tag)::type;
    using C = Compute<T>;
    const auto dy = context.in(0).as<T>();
    const auto x = context.in(1).as<T>();
    const auto bias = context.in(2).as<T>();
    const auto dx = out.as<T>();
    for (std::size_t row = 0; row < dx.size(); row += bias.size()) {
      for (std::size_t i = 0; i < bias.size(); ++i) {
        const C biased = static_cast<C>(x[row + i]) + static_cast<C>(bias[i]);
        dx[row + i] = static_cast<T>(static_cast<C>(dy[row + i]) * slope(biased));
      }
    }
  });
}

void is_infinite(const KernelContext& context) {
  const bool positive = context.attributes().integer("detect_positive", 1) != 0;
  const bool negative = context.attributes().integer("detect_negative", 1) != 0;
  with_floating(context.in(0).element, [&](auto tag) {
    using T = typename decltype(tag)::type;
    map_elements<T, bool>(context.in(0), context.out(),
                          [=](auto x) { return std::isinf(x) && (x > 0 ? positive : negative); });
  });
}

void add_exact_functions(KernelRegistry& registry) {
  registry.add("", "Neg", {number<negated>});
  registry.add("", "Abs", {number<absolute>});
  registry.add("", "Sign", {number<sign>});
  registry.add("", "Relu", {number<relu>});
  registry.add("", "Floor", {floating<[](auto x) { return std::floor(x); }>});
  registry.add("", "Ceil", {floating<[](auto x) { return std::ceil(x); }>});
  // The default rounding mode rounds to nearest, ties to even, as Round requires.
  registry.add("", "Round", {floating<[](auto x) { return std::nearbyint(x); }>});
  registry.add("", "Reciprocal", {floating<[](auto x) { return 1 / x; }>});
  registry.add("", "Sqrt", {floating<[](auto x) { return std::sqrt(x); }>});
  registry.add("", "IsNaN", {flag<[](auto x) { return std::isnan(x); }>});
  registry.add("", "IsInf", {is_infinite});
}

void add_transcendental_functions(KernelRegistry& registry) {
  registry.add("", "Exp", {floating<[](auto x) { return std::exp(x); }>});
  registry.add("", "Log", {floating<[](auto x) { return std::log(x); }>});
  registry.add("", "Erf", {floating<[](auto x) { return std::erf(x); }>});
  registry.add("", "Sin", {floating<[](auto x) { return std::sin(x); }>});
  registry.add("", "Cos", {floating<[](auto x) { return std::cos(x); }>});
  registry.add("", "Tan", {floating<[](auto x) { return std::tan(x); }>});
  registry.add("", "Asin", {floating<[](auto x) { return std::asin(x); }>});
  registry.add("", "Acos", {floating<[](auto x) { return std::acos(x); }>});
  registry.add("", "Atan", {floating<[](auto x) { return std::atan(x); }>});
  registry.add("", "Sinh", {floating<[](auto x) { return std::sinh(x); }>});
  registry.add("", "Cosh", {floating<[](auto x) { return std::cosh(x); }>});
  registry.add("", "Tanh", {floating<[](auto x) { return std::tanh(x); }>});
  registry.add("", "Asinh", {floating<[](auto x) { return std::asinh(x); }>});
  registry.add("", "Acosh", {floating<[](auto x) { return std::acosh(x); }>});
  registry.add("", "Atanh", {floating<[](auto x) { return std::atanh(x); }>});
}

void add_activations(KernelRegistry& registry) {
  registry.add("", "Sigmoid", {floating<[](auto x) { return logistic(x); }>});
  registry.add("", "Softplus", {floating<[](auto x) { return softplus(x); }>});
  registry.add("", "Softsign", {floating<[](auto x) { return x / (1 + std::abs(x)); }>});
  registry.add("", "Mish", {floating<[](auto x) { return x * std::tanh(softplus(x)); }>});
  registry.add("", "HardSwish", {floating<[](auto x) { return x * ramp(x, 1.0 / 6, 0.5); }>});
  registry.add("", "LeakyRelu", {leaky_relu});
  registry.add("", "Elu", {elu});
  registry.add("", "Celu", {celu});
  registry.add("", "Selu", {selu});
  registry.add("", "ThresholdedRelu", {thresholded_relu});
  registry.add("", "HardSigmoid", {hard_sigmoid});
  registry.add("", "Gelu", {onnx_gelu});
  registry.add("com.microsoft", "Gelu", {floating<apply_gelu>});
  registry.add("com.microsoft", "QuickGelu", {quick_gelu});
  registry.add("com.microsoft", "BiasGelu", {with_bias<apply_gelu>});
  registry.add("com.microsoft", "FastGelu", {with_bias<apply_fast_gelu>});
}

void add_activation_gradients(KernelRegistry& registry) {
  const auto add = [&](const char* type, KernelFunction run) {
    registry.add("com.microsoft", type, {run});
  };
  add("ReluGrad", gradient<[](auto dy, auto y) { return 0 < y ? dy : decltype(dy)(0); }>);
  add("SigmoidGrad", gradient<[](auto dy, auto y) { return dy * y * (1 - y); }>);
  add("TanhGrad", gradient<[](auto dy, auto y) { return dy * (1 - y * y); }>);
  add("GeluGrad", gradient<[](auto dy, auto x) { return dy * gelu_slope(x); }>);
  add("FastGeluGrad", gradient<[](auto dy, auto x) { return dy * fast_gelu_slope(x); }>);
  add("QuickGeluGrad", quick_gelu_grad);
  add("BiasGeluGrad_dX", bias_gradient<[](auto x) { return gelu_slope(x); }>);
  add("BiasFastGeluGrad_dX", bias_gradient<[](auto x) { return fast_gelu_slope(x); }>);
}

}  // namespace

void add_activation_kernels(KernelRegistry& registry) {
  add_exact_functions(registry);
  add_transcendental_functions(registry);
  add_activations(registry);
  add_activation_gradients(registry);
}

}  // namespace stashscope::cpu
