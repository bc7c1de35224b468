// Gradients of matrix products, convolutions, pooling, normalization, softmax, losses and dropout.

#include "element_types.h"

namespace stashscope {
namespace layer_gradients_test {

using namespace testing_run;  // NOLINT: the test's own helpers

constexpr char microsoft[] = "com.microsoft";
using Dims = std::vector<std::int64_t>;

class LayerGradient : public testing::TestWithParam<GradientCase> {};

TEST_P(LayerGradient, EqualsTheSlope) { check_gradients(GetParam()); }

TEST_P(LayerGradient, HoldsInEveryFloatingType) { check_element_types(GetParam()); }

GradientCase product(std::string name, Dims left, Dims right, Attributes attributes = {}) {
  const bool fused = !attributes.items().empty();
  return {.name = std::move(name),
          .type = fused ? "FusedMatMul" : "MatMul",
          .operands = {parameter(std::move(left)), parameter(std::move(right))},
          .attributes = std::move(attributes),
          .domain = fused ? microsoft : ""};
}

INSTANTIATE_TEST_SUITE_P(
    MatMul, LayerGradient,
    testing::Values(product("Matrices", {2, 3}, {3, 4}), product("Stacks", {2, 2, 3}, {2, 3, 2}),
                    product("StackByMatrix", {2, 3, 4}, {4, 2}),
                    product("DeepStackByMatrix", {2, 2, 3, 2}, {2, 3}),
                    product("MatrixByStack", {3, 4}, {2, 4, 2}),
                    product("BroadcastLeft", {1, 2, 3}, {4, 3, 2}),
                    product("BroadcastBoth", {2, 1, 2, 3}, {3, 3, 2}),
                    product("RowByMatrix", {3}, {3, 2}), product("MatrixByColumn", {2, 3}, {3}),
                    product("RowByColumn", {3}, {3}), product("RowByStack", {3}, {2, 3, 2}),
                    product("StackByColumn", {2, 2, 3}, {3})),
    case_name);

Attributes transposed(int a, int b, float alpha) {
  return {{"transA", std::int64_t{a}}, {"transB", std::int64_t{b}}, {"alpha", alpha}};
}

INSTANTIATE_TEST_SUITE_P(
    FusedMatMul, LayerGradient,
    testing::Values(product("FusedPlain", {2, 3}, {3, 4}, transposed(0, 0, 0.5F)),
                    product("FusedA", {3, 2}, {3, 4}, transposed(1, 0, 0.5F)),
                    product("FusedB", {2, 3}, {4, 3}, transposed(0, 1, 0.5F)),
                    product("FusedBoth", {3, 2}, {4, 3}, transposed(1, 1, 0.5F)),
                    product("FusedStackB", {2, 2, 3}, {2, 4, 3}, transposed(0, 1, 0.5F)),
                    product("FusedStackBoth", {2, 3, 2}, {2, 4, 3}, transposed(1, 1, 0.5F)),
                    product("FusedStackByMatrixB", {2, 2, 3}, {4, 3}, transposed(0, 1, 2.0F)),
                    product("FusedStackByMatrixA", {2, 3, 2}, {3, 4}, transposed(1, 0, 2.0F))),
    case_name);

GradientCase gemm(std::string name, Dims a, Dims b, std::optional<Dims> c, Attributes attributes,
                  std::int64_t opset = 13) {
  std::vector<GradientOperand> operands = {parameter(std::move(a)), parameter(std::move(b))};
  if (c) operands.push_back(parameter(*c));
  return {.name = std::move(name),
          .type = "Gemm",
          .operands = std::move(operands),
          .attributes = std::move(attributes),
          .opset = opset};
}

Attributes scaled(int a, int b) {
  return {
      {"transA", std::int64_t{a}}, {"transB", std::int64_t{b}}, {"alpha", 0.5F}, {"beta", 2.0F}};
}

INSTANTIATE_TEST_SUITE_P(
    Gemm, LayerGradient,
    testing::Values(gemm("GemmRow", {2, 3}, {3, 4}, Dims{4}, {}),
                    gemm("GemmWithoutC", {2, 3}, {3, 4}, std::nullopt, scaled(0, 0)),
                    gemm("GemmScalar", {2, 3}, {3, 4}, Dims{}, scaled(0, 0)),
                    gemm("GemmColumn", {3, 2}, {3, 4}, Dims{2, 1}, scaled(1, 0)),
                    gemm("GemmB", {2, 3}, {4, 3}, Dims{1, 4}, scaled(0, 1)),
                    gemm("GemmBoth", {3, 2}, {4, 3}, Dims{2, 4}, scaled(1, 1)),
                    gemm("Gemm9", {3, 2}, {4, 3}, Dims{4}, scaled(1, 1), 9)),
    case_name);

GradientCase conv(std::string name, Dims x, Dims w, Attributes attributes, bool bias = true,
                  const std::string& type = "Conv") {
  const std::int64_t group = attributes.integer("group", 1);
  const std::int64_t channels = type == "Conv" ? w[0] : w[1] * group;
  std::vector<GradientOperand> operands = {parameter(std::move(x)), parameter(std::move(w))};
  if (bias) operands.push_back(parameter({channels}));
  return {.name = std::move(name),
          .type = type,
          .operands = std::move(operands),
          .attributes = std::move(attributes)};
}

GradientCase transposed_conv(std::string name, Dims x, Dims w, Attributes attributes) {
  return conv(std::move(name), std::move(x), std::move(w), std::move(attributes), true,
              "ConvTranspose");
}

INSTANTIATE_TEST_SUITE_P(
    Conv, LayerGradient,
    testing::Values(
        conv("Conv1d", {2, 2, 5}, {3, 2, 2}, {}), conv("Conv2d", {1, 2, 4, 5}, {2, 2, 3, 2}, {}),
        conv("Conv3d", {1, 1, 3, 3, 3}, {2, 1, 2, 2, 2}, {}, false),
        conv("ConvPadded", {1, 2, 4, 4}, {2, 2, 3, 3}, {{"pads", Integers{1, 0, 2, 1}}}),
        conv("ConvStrided", {1, 2, 6, 5}, {2, 2, 3, 2},
             {{"strides", Integers{2, 3}}, {"pads", Integers{1, 1, 1, 1}}}),
        conv("ConvDilated", {1, 1, 6, 6}, {2, 1, 2, 3}, {{"dilations", Integers{2, 2}}}),
        conv("ConvGrouped", {2, 4, 3, 3}, {4, 2, 2, 2}, {{"group", std::int64_t{2}}}),
        conv("ConvDepthwise", {1, 3, 4, 4}, {3, 1, 3, 3},
             {{"group", std::int64_t{3}}, {"pads", Integers{1, 1, 1, 1}}}),
        conv("ConvSameUpper", {1, 1, 5, 5}, {1, 1, 2, 2},
             {{"auto_pad", std::string("SAME_UPPER")}, {"strides", Integers{2, 2}}}),
        conv("ConvSameLower", {1, 1, 4, 4}, {1, 1, 2, 2},
             {{"auto_pad", std::string("SAME_LOWER")}})),
    case_name);

INSTANTIATE_TEST_SUITE_P(
    ConvTranspose, LayerGradient,
    testing::Values(
        transposed_conv("Transposed1d", {2, 2, 3}, {2, 3, 2}, {}),
        transposed_conv("Transposed2d", {1, 2, 3, 3}, {2, 2, 2, 3},
                        {{"strides", Integers{2, 2}}, {"pads", Integers{0, 1, 1, 1}}}),
        transposed_conv("TransposedOutputPadding", {1, 1, 3, 3}, {1, 2, 3, 3},
                        {{"strides", Integers{3, 3}}, {"output_padding", Integers{2, 1}}}),
        transposed_conv("TransposedGrouped", {1, 4, 2, 2}, {4, 1, 2, 2},
                        {{"group", std::int64_t{2}}, {"dilations", Integers{2, 1}}}),
        transposed_conv("TransposedOutputShape", {1, 1, 3, 3}, {1, 1, 3, 3},
                        {{"strides", Integers{2, 2}}, {"output_shape", Integers{6, 5}}}),
        transposed_conv("TransposedSame", {1, 1, 3, 3}, {1, 1, 3, 3},
                        {{"strides", Integers{2, 2}}, {"auto_pad", std::string("SAME_UPPER")}})),
    case_name);

GradientCase pool(std::string name, const std::string& type, Dims x, Attributes attributes,
                  std::int64_t opset = 19) {
  return {.name = std::move(name),
          .type = type,
          .operands = {parameter(std::move(x))},
          .attributes = std::move(attributes),
          .opset = opset};
}

Attributes window(Integers kernel, Integers strides, Integers pads) {
  return {{"kernel_shape", std::move(kernel)},
          {"strides", std::move(strides)},
          {"pads", std::move(pads)}};
}

Attributes with(Attributes attributes, std::string name, AttributeValue value) {
  attributes.set(std::move(name), std::move(value));
  return attributes;
}

INSTANTIATE_TEST_SUITE_P(
    Pooling, LayerGradient,
    testing::Values(
        pool("MaxPool", "MaxPool", {1, 2, 4, 5}, window({2, 2}, {2, 2}, {0, 0, 0, 0})),
        pool("MaxPoolOverlapping", "MaxPool", {2, 1, 4, 4}, window({3, 3}, {1, 2}, {1, 1, 1, 1})),
        pool("MaxPool1d", "MaxPool", {1, 2, 5}, window({2}, {1}, {0, 1})),
        pool("MaxPoolCeil", "MaxPool", {1, 1, 5, 5},
             with(window({2, 2}, {2, 2}, {0, 0, 0, 0}), "ceil_mode", std::int64_t{1})),
        pool("MaxPoolDilated", "MaxPool", {1, 1, 5, 5},
             with(window({2, 2}, {1, 1}, {0, 0, 0, 0}), "dilations", Integers{2, 2})),
        pool("AveragePool", "AveragePool", {1, 2, 4, 4}, window({2, 2}, {2, 2}, {0, 0, 0, 0})),
        pool("AveragePoolPadded", "AveragePool", {1, 1, 4, 4},
             window({3, 3}, {2, 1}, {1, 1, 1, 1})),
        pool("AveragePoolCountPads", "AveragePool", {1, 1, 4, 4},
             with(window({3, 3}, {2, 1}, {1, 1, 1, 1}), "count_include_pad", std::int64_t{1})),
        pool("AveragePoolCeil", "AveragePool", {1, 1, 5, 5},
             with(with(window({2, 2}, {2, 2}, {0, 0, 1, 1}), "ceil_mode", std::int64_t{1}),
                  "count_include_pad", std::int64_t{1})),
        pool("AveragePoolSame", "AveragePool", {1, 1, 4, 5},
             {{"kernel_shape", Integers{2, 2}}, {"auto_pad", std::string("SAME_UPPER")}}),
        pool("GlobalAveragePool", "GlobalAveragePool", {2, 2, 3, 2}, {})),
    case_name);

const Attributes in_double_statistics = {{"stash_type", std::int64_t{11}}, {"epsilon", 1e-3F}};

GradientCase batch_norm(std::string name, Dims x, Attributes attributes, std::int64_t opset,
                        std::size_t outputs) {
  const Dims channels = {x[1]};
  return {.name = std::move(name),
          .type = "BatchNormalization",
          .operands = {parameter(std::move(x)), parameter(channels), parameter(channels),
                       constant(doubles(channels, {0.1, -0.2})),
                       constant(doubles(channels, {0.5, 1.5}))},
          .attributes = std::move(attributes),
          .opset = opset,
          .outputs = outputs};
}

const Attributes trains = {{"training_mode", std::int64_t{1}}};

INSTANTIATE_TEST_SUITE_P(
    Normalization, LayerGradient,
    testing::Values(
        batch_norm("BatchNorm", {3, 2, 2, 2}, {}, 15, 1),
        batch_norm("BatchNormFlat", {3, 2}, {}, 15, 1),
        batch_norm("BatchNorm9", {3, 2, 2}, {{"epsilon", 0.01F}}, 9, 1),
        batch_norm("BatchNormTraining", {3, 2, 2, 2}, trains, 15, 1),
        batch_norm("BatchNormTrainingFlat", {4, 2}, with(trains, "epsilon", 0.01F), 15, 1),
        GradientCase{.name = "LayerNorm",
                     .type = "LayerNormalization",
                     .operands = {parameter({2, 3, 4}), parameter({4}), parameter({4})},
                     .attributes = in_double_statistics},
        GradientCase{.name = "LayerNormWithoutBias",
                     .type = "LayerNormalization",
                     .operands = {parameter({3, 4}), parameter({4})},
                     .attributes = in_double_statistics},
        GradientCase{.name = "LayerNormOneScaleForAll",
                     .type = "LayerNormalization",
                     .operands = {parameter({2, 3}), parameter({1}, 0.5, 2), parameter({1})},
                     .attributes = in_double_statistics},
        GradientCase{.name = "SimplifiedLayerNormOneScaleForAll",
                     .type = "SimplifiedLayerNormalization",
                     .operands = {parameter({2, 3}), parameter({1}, 0.5, 2)},
                     .attributes = in_double_statistics},
        GradientCase{.name = "LayerNormTwoAxes",
                     .type = "LayerNormalization",
                     .operands = {parameter({2, 3, 4}), parameter({3, 4}), parameter({3, 4})},
                     .attributes = with(in_double_statistics, "axis", std::int64_t{1})},
        GradientCase{.name = "SimplifiedLayerNorm",
                     .type = "SimplifiedLayerNormalization",
                     .operands = {parameter({2, 3, 4}), parameter({4})},
                     .attributes = in_double_statistics},
        GradientCase{.name = "RootMeanSquareNorm",
                     .type = "RMSNormalization",
                     .operands = {parameter({2, 3, 4}), parameter({4})},
                     .attributes = in_double_statistics,
                     .opset = 23},
        GradientCase{.name = "LpNorm2",
                     .type = "LpNormalization",
                     .operands = {parameter({2, 3, 2})},
                     .attributes = {{"axis", std::int64_t{1}}}},
        GradientCase{.name = "LpNorm1",
                     .type = "LpNormalization",
                     .operands = {parameter({2, 3})},
                     .attributes = {{"p", std::int64_t{1}}}},
        GradientCase{.name = "InstanceNorm",
                     .type = "InstanceNormalization",
                     .operands = {parameter({2, 3, 2, 2}), parameter({3}), parameter({3})},
                     .attributes = {{"epsilon", 0.01F}}}),
    case_name);

GradientCase softmax(std::string name, const std::string& type, Dims x, std::int64_t axis,
                     std::int64_t opset) {
  return {.name = std::move(name),
          .type = type,
          .operands = {parameter(std::move(x), -2, 2)},
          .attributes = {{"axis", axis}},
          .opset = opset};
}

GradientCase bias_softmax(std::string name, Dims x, Dims bias, std::int64_t axis) {
  return {.name = std::move(name),
          .type = "BiasSoftmax",
          .operands = {parameter(std::move(x), -2, 2), parameter(std::move(bias), -2, 2)},
          .attributes = {{"axis", axis}},
          .domain = microsoft};
}

INSTANTIATE_TEST_SUITE_P(Softmax, LayerGradient,
                         testing::Values(softmax("Softmax13", "Softmax", {2, 3, 4}, -1, 13),
                                         softmax("Softmax13Middle", "Softmax", {2, 3, 2}, 1, 13),
                                         softmax("Softmax11", "Softmax", {2, 3, 2}, 1, 11),
                                         softmax("LogSoftmax13", "LogSoftmax", {2, 3}, 1, 13),
                                         softmax("LogSoftmax13First", "LogSoftmax", {3, 2}, 0, 13),
                                         softmax("LogSoftmax11", "LogSoftmax", {2, 3, 2}, 1, 11),
                                         bias_softmax("BiasSoftmax", {2, 3, 4}, {2, 1, 4}, 2),
                                         bias_softmax("BiasSoftmaxTwoAxes", {2, 3, 4}, {2, 1, 1},
                                                      1)),
                         case_name);

GradientCase loss(std::string name, std::string type, Dims scores, Tensor labels,
                  std::vector<GradientOperand> further, Attributes attributes,
                  std::string domain = {}) {
  std::vector<GradientOperand> operands = {parameter(std::move(scores), -2, 2),
                                           constant(std::move(labels))};
  operands.insert(operands.end(), further.begin(), further.end());
  return {.name = std::move(name),
          .type = std::move(type),
          .operands = std::move(operands),
          .attributes = std::move(attributes),
          .domain = std::move(domain)};
}

Attributes reduced(std::string reduction) { return {{"reduction", std::move(reduction)}}; }

const GradientOperand class_weights = constant(doubles({3}, {0.5, 2, 1}));

/// All reductions, with weights and an ignored label.
std::vector<GradientCase> losses(const std::string& type) {
  const Tensor labels = integers({4}, {0, 2, 1, 2});
  const Attributes ignoring = with(reduced("mean"), "ignore_index", std::int64_t{1});
  return {loss(type + "Mean", type, {4, 3}, labels, {}, reduced("mean")),
          loss(type + "Sum", type, {4, 3}, labels, {}, reduced("sum")),
          loss(type + "None", type, {4, 3}, labels, {}, reduced("none")),
          loss(type + "Weighted", type, {4, 3}, labels, {class_weights}, reduced("mean")),
          loss(type + "WeightedNone", type, {4, 3}, labels, {class_weights}, reduced("none")),
          loss(type + "Ignoring", type, {4, 3}, labels, {}, ignoring),
          loss(type + "IgnoringWeighted", type, {4, 3}, labels, {class_weights}, ignoring),
          loss(type + "Spatial", type, {2, 3, 2}, integers({2, 2}, {0, 2, 1, 1}), {class_weights},
               reduced("mean"))};
}

INSTANTIATE_TEST_SUITE_P(CrossEntropy, LayerGradient,
                         testing::ValuesIn(losses("SoftmaxCrossEntropyLoss")), case_name);
INSTANTIATE_TEST_SUITE_P(NegativeLogLikelihood, LayerGradient,
                         testing::ValuesIn(losses("NegativeLogLikelihoodLoss")), case_name);
INSTANTIATE_TEST_SUITE_P(InternalCrossEntropy, LayerGradient,
                         testing::Values(loss("InternalPlain", "SoftmaxCrossEntropyLossInternal",
                                              {4, 3}, integers({4}, {0, 2, 1, 2}), {},
                                              reduced("mean"), microsoft),
                                         loss("InternalIgnoring", "SoftmaxCrossEntropyLossInternal",
                                              {4, 3}, integers({4}, {0, 2, 1, 2}),
                                              {left_out(), constant(Tensor::int64_scalar(1))},
                                              reduced("mean"), microsoft),
                                         loss("InternalWeighted", "SoftmaxCrossEntropyLossInternal",
                                              {4, 3}, integers({4}, {0, 2, 1, 2}),
                                              {class_weights, constant(Tensor::int64_scalar(1))},
                                              reduced("sum"), microsoft)),
                         case_name);

const GradientOperand ratio = constant(singles({0.4F}));
const GradientOperand training = constant(flags({}, {1}));

INSTANTIATE_TEST_SUITE_P(
    Dropout, LayerGradient,
    testing::Values(
        GradientCase{
            .name = "Dropout", .type = "Dropout", .operands = {parameter({4, 5}), ratio, training}},
        GradientCase{.name = "DropoutDefaultRatio",
                     .type = "Dropout",
                     .operands = {parameter({4, 5}), left_out(), training},
                     .outputs = 2},
        GradientCase{.name = "DropoutInEvaluation",
                     .type = "Dropout",
                     .operands = {parameter({4, 5}), ratio}},
        GradientCase{.name = "Dropout6",
                     .type = "Dropout",
                     .operands = {parameter({4, 5})},
                     .attributes = {{"ratio", 0.3F}},
                     .opset = 6},
        GradientCase{.name = "Dropout10",
                     .type = "Dropout",
                     .operands = {parameter({4, 5})},
                     .attributes = {{"ratio", 0.3F}},
                     .opset = 10},
        GradientCase{.name = "BitmaskDropout",
                     .type = "BitmaskDropout",
                     .operands = {parameter({5, 9}), ratio, training},
                     .domain = microsoft},
        GradientCase{.name = "BiasDropout",
                     .type = "BiasDropout",
                     .operands = {parameter({4, 5}), parameter({5}), left_out(), ratio, training},
                     .domain = microsoft},
        GradientCase{
            .name = "BiasDropoutWithResidual",
            .type = "BiasDropout",
            .operands = {parameter({4, 5}), parameter({5}), parameter({4, 5}), ratio, training},
            .domain = microsoft}),
    case_name);

}  // namespace layer_gradients_test
}  // namespace stashscope
