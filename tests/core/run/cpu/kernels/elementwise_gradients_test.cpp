// Gradients of activations, arithmetic, conversion and selection.

#include "element_types.h"

namespace stashscope {
namespace elementwise_gradients_test {

using namespace testing_run;  // NOLINT: the test's own helpers

constexpr char microsoft[] = "com.microsoft";

class ElementwiseGradient : public testing::TestWithParam<GradientCase> {};

TEST_P(ElementwiseGradient, EqualsTheSlope) { check_gradients(GetParam()); }

TEST_P(ElementwiseGradient, HoldsInEveryFloatingType) { check_element_types(GetParam()); }

GradientCase function(const std::string& type, double low = -2, double high = 2,
                      std::int64_t opset = 17) {
  return {.name = type, .type = type, .operands = {parameter({2, 3}, low, high)}, .opset = opset};
}

GradientCase activation(std::string name, const std::string& type, Attributes attributes,
                        std::int64_t opset = 17, std::string domain = {}) {
  return {.name = std::move(name),
          .type = type,
          .operands = {parameter({3, 4}, -2, 2)},
          .attributes = std::move(attributes),
          .opset = opset,
          .domain = std::move(domain)};
}

INSTANTIATE_TEST_SUITE_P(Functions, ElementwiseGradient,
                         testing::Values(function("Neg"), function("Abs"), function("Exp"),
                                         function("Log", 0.5, 2), function("Sqrt", 0.5, 2),
                                         function("Reciprocal", 0.5, 2), function("Erf"),
                                         function("Sin"), function("Cos"), function("Sigmoid"),
                                         function("Tanh"), function("Relu"), function("Softplus"),
                                         function("HardSwish", -4, 4)),
                         case_name);

INSTANTIATE_TEST_SUITE_P(Trigonometry, ElementwiseGradient,
                         testing::Values(function("Tan", -1, 1), function("Asin", -0.8, 0.8),
                                         function("Acos", -0.8, 0.8), function("Atan"),
                                         function("Sinh"), function("Cosh"), function("Asinh"),
                                         function("Acosh", 1.5, 3), function("Atanh", -0.8, 0.8)),
                         case_name);

INSTANTIATE_TEST_SUITE_P(
    FurtherActivations, ElementwiseGradient,
    testing::Values(function("Selu"), function("Softsign"), function("Celu"),
                    activation("CeluSteep", "Celu", {{"alpha", 2.0F}}), function("Mish", -2, 2, 18),
                    activation("ThresholdedRelu", "ThresholdedRelu", {{"alpha", 0.3F}})),
    case_name);

INSTANTIATE_TEST_SUITE_P(
    Activations, ElementwiseGradient,
    testing::Values(activation("LeakyRelu", "LeakyRelu", {}),
                    activation("LeakyReluSteep", "LeakyRelu", {{"alpha", 0.3F}}),
                    activation("Elu", "Elu", {}), activation("EluHalf", "Elu", {{"alpha", 0.5F}}),
                    activation("HardSigmoid", "HardSigmoid", {{"alpha", 0.3F}, {"beta", 0.4F}}),
                    activation("Gelu20", "Gelu", {}, 20),
                    activation("Gelu20Tanh", "Gelu", {{"approximate", std::string("tanh")}}, 20),
                    activation("Gelu", "Gelu", {}, 17, microsoft),
                    activation("FastGelu", "FastGelu", {}, 17, microsoft),
                    activation("QuickGelu", "QuickGelu", {}, 17, microsoft),
                    activation("QuickGeluSteep", "QuickGelu", {{"alpha", 1.1F}}, 17, microsoft)),
    case_name);

INSTANTIATE_TEST_SUITE_P(
    Gated, ElementwiseGradient,
    testing::Values(activation("Swish", "Swish", {{"alpha", 1.5F}}, 24),
                    activation("Shrink", "Shrink", {{"bias", 0.25F}, {"lambd", 0.75F}}),
                    GradientCase{.name = "SwiGLU",
                                 .type = "SwiGLU",
                                 .operands = {parameter({2, 3}, -2, 2), parameter({2, 3})},
                                 .attributes = {{"alpha", 1.5F}},
                                 .opset = 27},
                    GradientCase{.name = "PRelu",
                                 .type = "PRelu",
                                 .operands = {parameter({2, 3}, -2, 2), parameter({3})}}),
    case_name);

GradientCase biased(const std::string& type) {
  return {.name = type + "WithBias",
          .type = type,
          .operands = {parameter({2, 3, 4}, -2, 2), parameter({4})},
          .domain = microsoft};
}

INSTANTIATE_TEST_SUITE_P(WithBias, ElementwiseGradient,
                         testing::Values(biased("BiasGelu"), biased("FastGelu")), case_name);

using Dims = std::vector<std::int64_t>;

/// Every way in which two operands can be broadcast.
std::vector<GradientCase> binary(const std::string& type, double low, double high) {
  const std::vector<std::tuple<std::string, Dims, Dims>> shapes = {
      {"Equal", {2, 3}, {2, 3}},      {"RightRow", {2, 3}, {3}},   {"LeftRow", {3}, {2, 3}},
      {"RightScalar", {2, 3}, {}},    {"LeftScalar", {}, {2, 3}},  {"Column", {2, 3}, {2, 1}},
      {"Crossed", {2, 1, 3}, {4, 1}}, {"Ones", {1, 3}, {2, 1, 1}},
  };
  std::vector<GradientCase> cases;
  for (const auto& [name, left, right] : shapes) {
    cases.push_back({.name = type + name,
                     .type = type,
                     .operands = {parameter(left, low, high), parameter(right, low, high)}});
  }
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Add, ElementwiseGradient, testing::ValuesIn(binary("Add", -1, 1)),
                         case_name);
INSTANTIATE_TEST_SUITE_P(Sub, ElementwiseGradient, testing::ValuesIn(binary("Sub", -1, 1)),
                         case_name);
INSTANTIATE_TEST_SUITE_P(Mul, ElementwiseGradient, testing::ValuesIn(binary("Mul", -1, 1)),
                         case_name);
INSTANTIATE_TEST_SUITE_P(Div, ElementwiseGradient, testing::ValuesIn(binary("Div", 0.5, 2)),
                         case_name);
INSTANTIATE_TEST_SUITE_P(Pow, ElementwiseGradient, testing::ValuesIn(binary("Pow", 0.5, 2)),
                         case_name);
INSTANTIATE_TEST_SUITE_P(Min, ElementwiseGradient, testing::ValuesIn(binary("Min", -1, 1)),
                         case_name);
INSTANTIATE_TEST_SUITE_P(Max, ElementwiseGradient, testing::ValuesIn(binary("Max", -1, 1)),
                         case_name);

GradientCase variadic(const std::string& type) {
  return {.name = type + "OfThree",
          .type = type,
          .operands = {parameter({2, 3}), parameter({3}), parameter({2, 1})}};
}

GradientCase single(const std::string& type) {
  return {.name = type + "OfOne", .type = type, .operands = {parameter({2, 3})}};
}

INSTANTIATE_TEST_SUITE_P(Variadic, ElementwiseGradient,
                         testing::Values(variadic("Sum"), variadic("Mean"), variadic("Min"),
                                         variadic("Max"), single("Sum"), single("Mean"),
                                         single("Max")),
                         case_name);

GradientCase power_of(std::string name, GradientOperand exponent) {
  return {.name = std::move(name),
          .type = "Pow",
          .operands = {parameter({2, 3}, 0.5, 2), std::move(exponent)}};
}

INSTANTIATE_TEST_SUITE_P(ConstantPower, ElementwiseGradient,
                         testing::Values(power_of("PowOne", constant(doubles({}, {1}))),
                                         power_of("PowTwo", constant(doubles({}, {2}))),
                                         power_of("PowThree", constant(doubles({}, {3}))),
                                         power_of("PowHalf", constant(doubles({1}, {0.5}))),
                                         power_of("PowFraction", constant(doubles({}, {0.1}))),
                                         power_of("PowWhole", constant(integers({}, {3}))),
                                         power_of("PowWholeRow",
                                                  constant(integers({3}, {1, 2, 3}))),
                                         power_of("PowRow", constant(doubles({3}, {1.5, 2, -1})))),
                         case_name);

GradientCase clip(std::string name, std::vector<GradientOperand> operands, Attributes attributes,
                  std::int64_t opset) {
  operands.insert(operands.begin(), parameter({3, 4}, -2, 2));
  return {.name = std::move(name),
          .type = "Clip",
          .operands = std::move(operands),
          .attributes = std::move(attributes),
          .opset = opset};
}

INSTANTIATE_TEST_SUITE_P(
    Clip, ElementwiseGradient,
    testing::Values(clip("Clip6", {}, {{"min", -0.5F}, {"max", 0.7F}}, 6),
                    clip("Clip13", {constant(doubles({}, {-0.5})), constant(doubles({}, {0.7}))},
                         {}, 13),
                    clip("ClipAbove", {left_out(), constant(doubles({}, {0.7}))}, {}, 13)),
    case_name);

INSTANTIATE_TEST_SUITE_P(
    Others, ElementwiseGradient,
    testing::Values(GradientCase{.name = "Cast",
                                 .type = "Cast",
                                 .operands = {parameter({2, 3})},
                                 .attributes = {{"to", std::int64_t{11}}}},
                    GradientCase{.name = "CastLike",
                                 .type = "CastLike",
                                 .operands = {parameter({2, 3}), constant(doubles({1}, {0}))}},
                    GradientCase{.name = "Where",
                                 .type = "Where",
                                 .operands = {constant(flags({2, 3}, {1, 0, 0, 1, 1, 0})),
                                              parameter({2, 3}), parameter({2, 3})}},
                    GradientCase{.name = "WhereBroadcast",
                                 .type = "Where",
                                 .operands = {constant(flags({2, 1}, {1, 0})), parameter({3}),
                                              parameter({4, 1, 1})}},
                    GradientCase{.name = "WhereScalars",
                                 .type = "Where",
                                 .operands = {constant(flags({2, 2}, {1, 0, 0, 1})), parameter({}),
                                              parameter({2})}}),
    case_name);

Node binary_node(const std::string& type, ValueId left, ValueId right, ValueId output) {
  Node node;
  node.name = type;
  node.op_type = type;
  node.inputs = {left, right};
  node.outputs = {output};
  return node;
}

/// y = p * factor + addend for x of any size: only the run knows whether x and values computed from
/// it are broadcast.
Graph of_unknown_size() {
  std::mt19937_64 random(3);
  GraphData data;
  data.opsets = {{"", 17}, {"com.microsoft", 1}};
  const Shape any_size = {Expr::symbol(data.symbols.intern("n"))};
  data.inputs = {data.add_value("x", {ElementType::float64, any_size, {}})};
  const auto trained = [&](const char* name, const Dims& dims) {
    const ValueId id = data.add_initializer(name, random_doubles(dims, -1, 1, random));
    data.initializers.back().is_literal = false;
    return id;
  };
  const ValueId factor = trained("factor", {1});
  const ValueId addend = trained("addend", {3, 4});
  const ValueId product = data.add_value("product", {});
  const ValueId sum = data.add_value("y", {});
  data.nodes.push_back(binary_node("Mul", data.inputs[0], factor, product));
  data.nodes.push_back(binary_node("Add", product, addend, sum));
  data.outputs = {sum};
  return Graph(std::move(data));
}

TEST(ElementwiseGradientAtRunTime, IsSummedOverWhatWasBroadcast) {
  for (const std::int64_t size : {1, 4}) {
    SCOPED_TRACE(size);
    check_gradients(
        of_unknown_size(),
        {{"x", doubles({size}, std::vector<double>(static_cast<std::size_t>(size), 0.7))}});
  }
}

}  // namespace elementwise_gradients_test
}  // namespace stashscope
