// Elementwise functions of one input, activations with a bias, and their gradient operators.

#include "core/run/cuda/codegen/expression.h"
#include "core/run/cuda/ops/families.h"

namespace stashscope::cuda {

namespace {

using Operands = std::vector<std::string>;

/// The expression of a function of an element and the attribute `alpha`.
std::string with_alpha(const char* function, const LoweringContext& context, float otherwise,
                       Operands operands) {
  operands.push_back(attribute_text(context, "alpha", otherwise));
  return call_text(function, operands);
}

std::string leaky_relu(const LoweringContext& context, const Operands& operands) {
  return with_alpha("leaky_relu", context, 0.01F, operands);
}
std::string elu(const LoweringContext& context, const Operands& operands) {
  return with_alpha("elu", context, 1, operands);
}
std::string celu(const LoweringContext& context, const Operands& operands) {
  return with_alpha("celu", context, 1, operands);
}
std::string thresholded_relu(const LoweringContext& context, const Operands& operands) {
  return with_alpha("thresholded_relu", context, 1, operands);
}
std::string quick_gelu(const LoweringContext& context, const Operands& operands) {
  return with_alpha("quick_gelu", context, 1.702F, operands);
}
std::string quick_gelu_grad(const LoweringContext& context, const Operands& operands) {
  return with_alpha("quick_gelu_gradient", context, 1.702F, operands);
}

std::string selu(const LoweringContext& context, const Operands& operands) {
  return call_text("selu",
                   {operands[0], attribute_text(context, "alpha", 1.67326319217681884765625F),
                    attribute_text(context, "gamma", 1.05070102214813232421875F)});
}

std::string hard_sigmoid(const LoweringContext& context, const Operands& operands) {
  return call_text("ramp", {operands[0], attribute_text(context, "alpha", 0.2F),
                            attribute_text(context, "beta", 0.5F)});
}

std::string onnx_gelu(const LoweringContext& context, const Operands& operands) {
  const bool tanh_form = context.attributes().text("approximate", "none") == "tanh";
  return call_text(tanh_form ? "fast_gelu" : "gelu", operands);
}

/// `function(x + bias)` if the bias, input 1, is present, else `function(x)`.
template <FixedText function>
std::string with_bias(const LoweringContext& context, const Operands& operands) {
  const std::string x = context.has_input(1) ? operands[0] + " + " + operands[1] : operands[0];
  return call_text(function.characters, {x});
}

/// (dy, operand): dy times the slope at the operand.
template <FixedText slope>
std::string gradient(const LoweringContext&, const Operands& operands) {
  return operands[0] + " * " + call_text(slope.characters, {operands[1]});
}

/// (dy, x, bias): dy times the slope at x + bias.
template <FixedText slope>
std::string bias_gradient(const LoweringContext&, const Operands& operands) {
  return operands[0] + " * " + call_text(slope.characters, {operands[1] + " + " + operands[2]});
}

std::string sigmoid_grad(const LoweringContext&, const Operands& operands) {
  return operands[0] + " * " + operands[1] + " * (1 - " + operands[1] + ")";
}

std::string tanh_grad(const LoweringContext&, const Operands& operands) {
  return operands[0] + " * (1 - " + operands[1] + " * " + operands[1] + ")";
}

std::string is_infinite(const LoweringContext& context, const Operands& operands) {
  const auto detects = [&](const char* name) {
    return std::string(context.attributes().integer(name, 1) != 0 ? "true" : "false");
  };
  return call_text("is_infinite",
                   {operands[0], detects("detect_positive"), detects("detect_negative")});
}

std::string reciprocal(const LoweringContext&, const Operands& operands) {
  return "1 / " + operands[0];
}

void add_functions(CudaKernelRegistry& registry) {
  const auto add = [&](const char* type, ExpressionFunction expression) {
    registry.add("", type, {.expression = expression});
  };
  add("Neg", call<"negated">);
  add("Abs", call<"absolute">);
  add("Sign", call<"sign">);
  add("Relu", call<"relu">);
  add("Floor", call<"floor">);
  add("Ceil", call<"ceil">);
  // rint rounds to nearest, ties to even.
  add("Round", call<"rint">);
  add("Reciprocal", reciprocal);
  add("Sqrt", call<"sqrt">);
  add("IsNaN", call<"isnan">);
  add("IsInf", is_infinite);
  add("Exp", call<"exp">);
  add("Log", call<"log">);
  add("Erf", call<"erf">);
  add("Sin", call<"sin">);
  add("Cos", call<"cos">);
  add("Tan", call<"tan">);
  add("Asin", call<"asin">);
  add("Acos", call<"acos">);
  add("Atan", call<"atan">);
  add("Sinh", call<"sinh">);
  add("Cosh", call<"cosh">);
  add("Tanh", call<"tanh">);
  add("Asinh", call<"asinh">);
  add("Acosh", call<"acosh">);
  add("Atanh", call<"atanh">);
}

void add_activations(CudaKernelRegistry& registry) {
  const auto add = [&](const char* type, ExpressionFunction expression, const char* domain = "") {
    registry.add(domain, type, {.expression = expression});
  };
  add("Sigmoid", call<"logistic">);
  add("Softplus", call<"softplus">);
  add("Softsign", call<"softsign">);
  add("Mish", call<"mish">);
  add("HardSwish", call<"hard_swish">);
  add("LeakyRelu", leaky_relu);
  add("Elu", elu);
  add("Celu", celu);
  add("Selu", selu);
  add("ThresholdedRelu", thresholded_relu);
  add("HardSigmoid", hard_sigmoid);
  add("Gelu", onnx_gelu);
  add("Gelu", call<"gelu">, "com.microsoft");
  add("QuickGelu", quick_gelu, "com.microsoft");
  add("BiasGelu", with_bias<"gelu">, "com.microsoft");
  add("FastGelu", with_bias<"fast_gelu">, "com.microsoft");
}

void add_activation_gradients(CudaKernelRegistry& registry) {
  const auto add = [&](const char* type, ExpressionFunction expression) {
    registry.add("com.microsoft", type, {.expression = expression});
  };
  add("ReluGrad", call<"relu_gradient">);
  add("SigmoidGrad", sigmoid_grad);
  add("TanhGrad", tanh_grad);
  add("GeluGrad", gradient<"gelu_slope">);
  add("FastGeluGrad", gradient<"fast_gelu_slope">);
  add("QuickGeluGrad", quick_gelu_grad);
  add("BiasGeluGrad_dX", bias_gradient<"gelu_slope">);
  add("BiasFastGeluGrad_dX", bias_gradient<"fast_gelu_slope">);
}

}  // namespace

void add_activation_kernels(CudaKernelRegistry& registry) {
  add_functions(registry);
  add_activations(registry);
  add_activation_gradients(registry);
}

}  // namespace stashscope::cuda
