// Gradients of operators that move, join, cut, gather, reduce and resize.

#include <tuple>

#include "element_types.h"

namespace stashscope {
namespace structural_gradients_test {

using namespace testing_run;  // NOLINT: the test's own helpers

using Dims = std::vector<std::int64_t>;

class StructuralGradient : public testing::TestWithParam<GradientCase> {};

TEST_P(StructuralGradient, EqualsTheSlope) { check_gradients(GetParam()); }

TEST_P(StructuralGradient, HoldsInEveryFloatingType) { check_element_types(GetParam()); }

/// An operator of one trained tensor and constant operands.
GradientCase mover(std::string name, std::string type, Dims x,
                   std::vector<GradientOperand> further = {}, Attributes attributes = {},
                   std::int64_t opset = 17, std::size_t outputs = 1) {
  further.insert(further.begin(), parameter(std::move(x)));
  return {.name = std::move(name),
          .type = std::move(type),
          .operands = std::move(further),
          .attributes = std::move(attributes),
          .opset = opset,
          .outputs = outputs};
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, StructuralGradient,
    testing::Values(mover("Reshape", "Reshape", {2, 6}, {numbers_operand({3, -1})}),
                    mover("Reshape1", "Reshape", {2, 6}, {}, {{"shape", Integers{3, 4}}}, 1),
                    mover("Flatten", "Flatten", {2, 3, 2}), mover("Identity", "Identity", {2, 3}),
                    mover("Squeeze", "Squeeze", {1, 3, 1}, {numbers_operand({0})}),
                    mover("SqueezeAll", "Squeeze", {1, 3, 1}),
                    mover("Squeeze11", "Squeeze", {1, 3, 1}, {}, {{"axes", Integers{2}}}, 11),
                    mover("Unsqueeze", "Unsqueeze", {2, 3}, {numbers_operand({-1, 0})}),
                    mover("Unsqueeze11", "Unsqueeze", {2, 3}, {}, {{"axes", Integers{1, 3}}}, 11),
                    mover("Transpose", "Transpose", {2, 3, 4}, {}, {{"perm", Integers{2, 0, 1}}}),
                    mover("TransposeReversed", "Transpose", {2, 3, 4}),
                    mover("Expand", "Expand", {3, 1}, {numbers_operand({2, 1, 4})}),
                    mover("ExpandScalar", "Expand", {}, {numbers_operand({2, 3})}),
                    mover("Tile", "Tile", {2, 3}, {numbers_operand({2, 3})})),
    case_name);

INSTANTIATE_TEST_SUITE_P(
    Slice, StructuralGradient,
    testing::Values(
        mover("Slice", "Slice", {4, 5}, {numbers_operand({1, 0}), numbers_operand({3, 4})}),
        mover("SliceAxes", "Slice", {4, 5},
              {numbers_operand({1}), numbers_operand({-1}), numbers_operand({1})}),
        mover("SliceSteps", "Slice", {4, 5},
              {numbers_operand({0, 4}), numbers_operand({4, -100}), numbers_operand({0, 1}),
               numbers_operand({2, -2})}),
        mover("SliceWithoutAxes", "Slice", {4, 5},
              {numbers_operand({3, 0}), numbers_operand({0, 5}), left_out(),
               numbers_operand({-1, 2})}),
        mover("Slice9", "Slice", {4, 5}, {}, {{"starts", Integers{1}}, {"ends", Integers{4}}}, 9),
        mover("Slice9Axes", "Slice", {4, 5}, {},
              {{"starts", Integers{-3}}, {"ends", Integers{9}}, {"axes", Integers{1}}}, 9)),
    case_name);

Attributes axis(std::int64_t number) { return {{"axis", number}}; }

GradientCase joined(std::string name, std::string type, std::int64_t along, Dims a, Dims b,
                    std::string domain = {}) {
  return {.name = std::move(name),
          .type = std::move(type),
          .operands = {parameter(std::move(a)), parameter(std::move(b)), parameter({2, 3})},
          .attributes = axis(along),
          .domain = std::move(domain)};
}

INSTANTIATE_TEST_SUITE_P(
    SplitAndConcat, StructuralGradient,
    testing::Values(
        mover("Split", "Split", {4, 3}, {}, axis(0), 13, 2),
        mover("SplitLengths", "Split", {2, 5}, {numbers_operand({2, 3})}, axis(1), 13, 2),
        mover("Split11", "Split", {2, 5}, {},
              {{"axis", std::int64_t{-1}}, {"split", Integers{1, 4}}}, 11, 2),
        mover("Split18", "Split", {5, 2}, {}, {{"num_outputs", std::int64_t{2}}}, 18, 2),
        joined("Concat", "Concat", 0, {2, 3}, {1, 3}),
        joined("ConcatLast", "Concat", -1, {2, 1}, {2, 3}),
        joined("ConcatTraining", "ConcatTraining", 1, {2, 1}, {2, 2}, "com.microsoft")),
    case_name);

Attributes mode(std::string name) { return {{"mode", std::move(name)}}; }

INSTANTIATE_TEST_SUITE_P(
    Pad, StructuralGradient,
    testing::Values(
        mover("Pad", "Pad", {2, 3}, {numbers_operand({1, 0, 0, 2})}),
        mover("PadNegative", "Pad", {4, 3}, {numbers_operand({-1, 1, -1, 0})}),
        mover("PadValue", "Pad", {2, 3},
              {numbers_operand({1, 0, 0, 2}), constant(doubles({}, {3}))}),
        mover("PadAxes", "Pad", {2, 3}, {numbers_operand({1, 2}), left_out(), numbers_operand({1})},
              {}, 18),
        mover("Pad1", "Pad", {2, 3}, {}, {{"paddings", Integers{1, 0, 0, 2}}}, 1),
        mover("PadReflect1", "Pad", {3, 3}, {},
              {{"paddings", Integers{2, 0, 1, 2}}, {"mode", std::string("reflect")}}, 1),
        mover("Pad10", "Pad", {2, 3}, {}, {{"pads", Integers{1, 0, 0, 2}}}, 10),
        mover("PadReflect", "Pad", {3, 3}, {numbers_operand({2, 0, 1, 2})}, mode("reflect")),
        mover("PadEdge", "Pad", {3, 3}, {numbers_operand({2, 0, 1, 2})}, mode("edge")),
        mover("PadReflect10", "Pad", {3, 3}, {},
              {{"pads", Integers{2, 0, 1, 2}}, {"mode", std::string("reflect")}}, 10),
        mover("PadEdgeAxes", "Pad", {2, 3},
              {numbers_operand({1, 2}), left_out(), numbers_operand({-1})}, mode("edge"), 18),
        mover("PadWrap", "Pad", {2, 3}, {numbers_operand({1, 2, 1, 0})}, mode("wrap"), 19)),
    case_name);

INSTANTIATE_TEST_SUITE_P(Trilu, StructuralGradient,
                         testing::Values(mover("TriluUpper", "Trilu", {2, 3, 3}),
                                         mover("TriluLower", "Trilu", {3, 4},
                                               {constant(Tensor::int64_scalar(-1))},
                                               {{"upper", std::int64_t{0}}})),
                         case_name);

INSTANTIATE_TEST_SUITE_P(
    Gather, StructuralGradient,
    testing::Values(
        mover("Gather", "Gather", {4, 3}, {constant(integers({2, 2}, {0, 3, 3, -2}))}),
        mover("GatherLast", "Gather", {2, 4}, {constant(integers({3}, {1, 1, 2}))}, axis(-1)),
        mover("GatherScalar", "Gather", {3, 2}, {constant(Tensor::int64_scalar(1))}),
        mover("GatherElements", "GatherElements", {3, 3},
              {constant(integers({2, 3}, {0, 2, 1, 0, -1, 1}))}, axis(0)),
        mover("GatherElementsLast", "GatherElements", {2, 3},
              {constant(integers({2, 2}, {0, 0, 2, 1}))}, axis(1)),
        mover("GatherND", "GatherND", {2, 3, 2}, {constant(integers({3, 2}, {0, 1, 1, 2, 0, 1}))}),
        mover("GatherNDElements", "GatherND", {2, 3}, {constant(integers({2, 2}, {0, 1, 1, -1}))}),
        mover("GatherNDBatch", "GatherND", {2, 3, 2}, {constant(integers({2, 1}, {2, 0}))},
              {{"batch_dims", std::int64_t{1}}})),
    case_name);

GradientCase padding(std::string name, Dims x, std::vector<GradientOperand> further) {
  GradientCase made = mover(name, name, std::move(x), std::move(further));
  made.domain = "com.microsoft";
  return made;
}

INSTANTIATE_TEST_SUITE_P(
    Padding, StructuralGradient,
    testing::Values(padding("FlattenAndUnpad", {2, 3, 2}, {numbers_operand({0, 1, 4})}),
                    padding("PadAndUnflatten", {3, 2},
                            {numbers_operand({0, 1, 4}), numbers_operand({2, 3})})),
    case_name);

TEST(SplitGradient, OfAPartThatIsLeftOutIsZero) {
  for (const GradientCase& each :
       {mover("Equal", "Split", {6, 2}, {}, axis(0), 13, 3),
        mover("Lengths", "Split", {6, 2}, {numbers_operand({1, 3, 2})}, axis(0), 13, 3)}) {
    GraphData data = graph_of(each).data();
    data.nodes[NodeId(0)].outputs[1] = ValueId();
    data.outputs.erase(data.outputs.begin() + 1);
    check_gradients(Graph(std::move(data)));
  }
}

GradientCase scattered(std::string name, std::string type, Dims data, Tensor indices, Dims updates,
                       Attributes attributes = {}, std::int64_t opset = 17) {
  return {.name = std::move(name),
          .type = std::move(type),
          .operands = {parameter(std::move(data)), constant(std::move(indices)),
                       parameter(std::move(updates))},
          .attributes = std::move(attributes),
          .opset = opset};
}

INSTANTIATE_TEST_SUITE_P(Scatter, StructuralGradient,
                         testing::Values(scattered("ScatterND", "ScatterND", {4, 2},
                                                   integers({2, 1}, {3, 1}), {2, 2}),
                                         scattered("ScatterNDElements", "ScatterND", {2, 3},
                                                   integers({2, 2}, {0, 1, 1, 2}), {2}),
                                         scattered("ScatterElements", "ScatterElements", {3, 3},
                                                   integers({2, 2}, {0, 2, 1, 0}), {2, 2}, axis(0)),
                                         scattered("ScatterElementsLast", "ScatterElements", {2, 3},
                                                   integers({2, 1}, {2, 0}), {2, 1}, axis(-1)),
                                         scattered("Scatter9", "Scatter", {3, 3},
                                                   integers({1, 2}, {0, 2}), {1, 2}, axis(0), 9)),
                         case_name);

/// Two updates of the same element, and an element without updates.
std::vector<GradientCase> reduced_updates() {
  std::vector<GradientCase> cases;
  for (const char* reduction : {"add", "mul", "min", "max"}) {
    const Attributes how = {{"reduction", std::string(reduction)}};
    Attributes along = axis(1);
    along.set("reduction", std::string(reduction));
    const auto named = [&](const char* kind) { return std::string(kind) + reduction; };
    cases.push_back(scattered(named("ScatterND_"), "ScatterND", {3, 2}, integers({3, 1}, {2, 0, 2}),
                              {3, 2}, how, 18));
    cases.push_back(scattered(named("ScatterNDElements_"), "ScatterND", {2, 2},
                              integers({2, 2, 2}, {0, 1, 1, 1, 0, 1, -1, 0}), {2, 2}, how, 18));
    cases.push_back(scattered(named("ScatterElements_"), "ScatterElements", {2, 3},
                              integers({2, 4}, {2, 0, 2, 2, 1, 1, -1, -3}), {2, 4}, along, 18));
  }
  return cases;
}

INSTANTIATE_TEST_SUITE_P(ScatterReductions, StructuralGradient,
                         testing::ValuesIn(reduced_updates()), case_name);

/// A node that combines the updates {updates} at {indices} with the data.
Graph scattering_graph(const std::string& reduction, const std::vector<double>& data,
                       const std::vector<std::int64_t>& indices,
                       const std::vector<double>& updates) {
  GraphData graph =
      graph_of(scattered("", "ScatterElements", {std::ssize(data)}, Tensor::int64s(indices),
                         {std::ssize(updates)}, {{"reduction", reduction}}, 18))
          .data();
  graph.initializers[0].tensor = doubles({std::ssize(data)}, data);
  graph.initializers[2].tensor = doubles({std::ssize(updates)}, updates);
  return Graph(std::move(graph));
}

TEST(ScatterGradient, OfAProductHoldsForZeros) {
  check_gradients(
      scattering_graph("mul", {2, 0, 3, 0}, {0, 0, 1, 2, 2, 2, 3}, {0, 5, 7, 0, 0, 4, 0}));
}

TEST(ScatterGradient, OfAnExtremeIsSharedByEqualElements) {
  for (const double sign : {1.0, -1.0}) {
    const Graph graph = scattering_graph(sign > 0 ? "max" : "min", {sign, 2 * sign, 5 * sign},
                                         {1, 1, 0, 2}, {2 * sign, 2 * sign, sign, 4 * sign});
    const ModelStep step(prepare_training_step(graph, {}), {});
    const RunResult result = run_on_cpu(step.default_plan(), {});
    EXPECT_EQ(numbers(result.outputs.at("p0_grad")), (std::vector<double>{0.5, 1.0 / 3, 1}));
    EXPECT_EQ(numbers(result.outputs.at("p2_grad")),
              (std::vector<double>{1.0 / 3, 1.0 / 3, 0.5, 0}));
  }
}

INSTANTIATE_TEST_SUITE_P(
    TopK, StructuralGradient,
    testing::Values(mover("TopK", "TopK", {2, 5}, {numbers_operand({3})}),
                    mover("TopKLeast", "TopK", {4, 2, 2}, {numbers_operand({2})},
                          {{"axis", std::int64_t{0}}, {"largest", std::int64_t{0}}})),
    case_name);

Attributes axes(Integers list, bool keep) {
  return {{"axes", std::move(list)}, {"keepdims", std::int64_t{keep}}};
}

/// A reduction in the versions with axes as attribute and as operand.
std::vector<GradientCase> reduction(const std::string& type, std::int64_t axes_input_since,
                                    double low = -2) {
  std::vector<GradientCase> cases = {
      mover(type + "All", type, {2, 3}, {}, {}, axes_input_since - 1),
      mover(type + "Last", type, {2, 3, 2}, {}, axes({-1}, false), axes_input_since - 1),
      mover(type + "Kept", type, {2, 3, 2}, {}, axes({0, 2}, true), axes_input_since - 1),
      mover(type + "Operand", type, {2, 3, 2}, {numbers_operand({1})},
            {{"keepdims", std::int64_t{0}}}, axes_input_since),
      mover(type + "NoAxes", type, {2, 3}, {}, {}, axes_input_since),
      mover(type + "Noop", type, {2, 3}, {}, {{"noop_with_empty_axes", std::int64_t{1}}},
            axes_input_since),
  };
  for (GradientCase& each : cases) {
    each.operands[0].low = low;
    each.operands[0].high = 2;
  }
  return cases;
}

INSTANTIATE_TEST_SUITE_P(ReduceSum, StructuralGradient,
                         testing::ValuesIn(reduction("ReduceSum", 13)), case_name);
INSTANTIATE_TEST_SUITE_P(ReduceMean, StructuralGradient,
                         testing::ValuesIn(reduction("ReduceMean", 18)), case_name);
INSTANTIATE_TEST_SUITE_P(ReduceMax, StructuralGradient,
                         testing::ValuesIn(reduction("ReduceMax", 18)), case_name);
INSTANTIATE_TEST_SUITE_P(ReduceMin, StructuralGradient,
                         testing::ValuesIn(reduction("ReduceMin", 18)), case_name);
INSTANTIATE_TEST_SUITE_P(ReduceL2, StructuralGradient, testing::ValuesIn(reduction("ReduceL2", 18)),
                         case_name);
INSTANTIATE_TEST_SUITE_P(ReduceSumSquare, StructuralGradient,
                         testing::ValuesIn(reduction("ReduceSumSquare", 18)), case_name);
INSTANTIATE_TEST_SUITE_P(ReduceL1, StructuralGradient, testing::ValuesIn(reduction("ReduceL1", 18)),
                         case_name);
INSTANTIATE_TEST_SUITE_P(ReduceLogSum, StructuralGradient,
                         testing::ValuesIn(reduction("ReduceLogSum", 18, 0.5)), case_name);
INSTANTIATE_TEST_SUITE_P(ReduceLogSumExp, StructuralGradient,
                         testing::ValuesIn(reduction("ReduceLogSumExp", 18)), case_name);

/// A reduction whose axes are a graph input, known only at run time.
class ReductionAtRunTime : public testing::TestWithParam<std::tuple<const char*, bool, Integers>> {
};

TEST_P(ReductionAtRunTime, HasTheSlopeAsGradient) {
  const auto& [type, keep, list] = GetParam();
  GraphData data =
      graph_of(mover(type, type, {2, 3, 2}, {}, {{"keepdims", std::int64_t{keep}}}, 18)).data();
  for (Initializer& each : data.initializers) {
    std::mt19937_64 random(7);
    each.tensor = random_doubles(each.tensor.dims(), 0.5, 2, random);
  }
  const Shape size = {Expr::symbol(data.symbols.intern("reduced"))};
  data.inputs = {data.add_value("axes", {ElementType::int64, size, {}})};
  data.nodes[NodeId(0)].inputs.push_back(data.inputs[0]);
  check_gradients(Graph(std::move(data)), {{"axes", Tensor::int64s(list)}});
}

INSTANTIATE_TEST_SUITE_P(
    Types, ReductionAtRunTime,
    testing::Combine(testing::Values("ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin",
                                     "ReduceL1", "ReduceL2", "ReduceSumSquare", "ReduceLogSum",
                                     "ReduceLogSumExp"),
                     testing::Bool(), testing::Values(Integers{1}, Integers{-1, 0}, Integers{})));

Attributes running(int exclusive, int reverse) {
  return {{"exclusive", std::int64_t{exclusive}}, {"reverse", std::int64_t{reverse}}};
}

const GradientOperand second_axis = constant(Tensor::int64_scalar(1));

INSTANTIATE_TEST_SUITE_P(
    CumSum, StructuralGradient,
    testing::Values(mover("CumSum", "CumSum", {2, 4}, {second_axis}),
                    mover("CumSumExclusive", "CumSum", {2, 4}, {second_axis}, running(1, 0)),
                    mover("CumSumReverse", "CumSum", {2, 4}, {second_axis}, running(0, 1)),
                    mover("CumSumBoth", "CumSum", {2, 4}, {second_axis}, running(1, 1))),
    case_name);

INSTANTIATE_TEST_SUITE_P(
    CumProd, StructuralGradient,
    testing::Values(mover("CumProd", "CumProd", {2, 4}, {second_axis}, {}, 26),
                    mover("CumProdExclusive", "CumProd", {2, 4}, {second_axis}, running(1, 0), 26),
                    mover("CumProdReverse", "CumProd", {4, 2}, {constant(Tensor::int64_scalar(0))},
                          running(0, 1), 26),
                    mover("CumProdBoth", "CumProd", {2, 4}, {second_axis}, running(1, 1), 26)),
    case_name);

TEST(CumProdGradient, HoldsForZeros) {
  GraphData data =
      graph_of(mover("", "CumProd", {5}, {constant(Tensor::int64_scalar(0))}, {}, 26)).data();
  for (const std::vector<double>& items :
       {std::vector<double>{2, 0, 3, 4, 5}, std::vector<double>{2, 0, 3, 0, 5}}) {
    data.initializers[0].tensor = doubles({5}, items);
    check_gradients(Graph(data));
  }
}

Attributes blocks(Integers pads, Integers strides, Integers dilations) {
  return {{"pads", std::move(pads)},
          {"strides", std::move(strides)},
          {"dilations", std::move(dilations)}};
}

INSTANTIATE_TEST_SUITE_P(
    BlocksOfImages, StructuralGradient,
    testing::Values(
        mover("Col2Im", "Col2Im", {2, 8, 4}, {numbers_operand({3, 3}), numbers_operand({2, 2})}, {},
              18),
        mover("Col2ImPads", "Col2Im", {1, 2, 4}, {numbers_operand({5, 3}), numbers_operand({2, 1})},
              blocks({0, 1, 1, 0}, {2, 2}, {2, 1}), 18),
        mover("CenterCrop", "CenterCropPad", {5, 4}, {numbers_operand({2, 2})}, {}, 18),
        mover("CenterPad", "CenterCropPad", {3, 2}, {numbers_operand({4, 5})}, {}, 18),
        mover("CenterCropPad", "CenterCropPad", {2, 5, 3}, {numbers_operand({4, 2})},
              {{"axes", Integers{-1, 1}}}, 18),
        mover("ReverseSequence", "ReverseSequence", {3, 2, 2}, {numbers_operand({2, 3})}),
        mover("MaxUnpool", "MaxUnpool", {1, 1, 2, 2},
              {constant(integers({1, 1, 2, 2}, {5, 7, 13, 15}))},
              {{"kernel_shape", Integers{2, 2}}, {"strides", Integers{2, 2}}})),
    case_name);

Attributes resizing(std::string how, std::string coordinates,
                    std::string nearest = "round_prefer_floor") {
  return {{"mode", std::move(how)},
          {"coordinate_transformation_mode", std::move(coordinates)},
          {"nearest_mode", std::move(nearest)}};
}

GradientCase resize(std::string name, GradientOperand scales, GradientOperand sizes,
                    Attributes attributes, std::int64_t opset = 13) {
  return mover(std::move(name), "Resize", {1, 2, 3, 4},
               {left_out(), std::move(scales), std::move(sizes)}, std::move(attributes), opset);
}

const GradientOperand twice = constant(singles({1, 1, 2, 2}));
const GradientOperand smaller = constant(singles({1, 1, 0.6F, 0.7F}));
const GradientOperand five_by_six = numbers_operand({1, 2, 5, 6});

INSTANTIATE_TEST_SUITE_P(
    Resize, StructuralGradient,
    testing::Values(
        resize("ResizeNearest", twice, left_out(), {}),
        resize("ResizeNearestFloor", twice, left_out(), resizing("nearest", "asymmetric", "floor")),
        resize("ResizeNearestSizes", left_out(), five_by_six, resizing("nearest", "half_pixel")),
        resize("ResizeLinear", twice, left_out(), resizing("linear", "half_pixel")),
        resize("ResizeLinearCorners", left_out(), five_by_six, resizing("linear", "align_corners")),
        resize("ResizeLinearPytorch", smaller, left_out(),
               resizing("linear", "pytorch_half_pixel")),
        resize("ResizeLinearAsymmetric", smaller, left_out(), resizing("linear", "asymmetric")),
        resize("ResizeCubic", smaller, left_out(), resizing("cubic", "half_pixel")),
        resize("ResizeCubicSizes", left_out(), five_by_six, resizing("cubic", "align_corners")),
        mover("Resize10", "Resize", {1, 1, 2, 3}, {twice}, {}, 10),
        mover("Resize10Linear", "Resize", {1, 1, 2, 3}, {twice}, mode("linear"), 10),
        mover("Upsample9", "Upsample", {1, 1, 2, 3}, {twice}, {}, 9),
        mover("Upsample9Linear", "Upsample", {1, 1, 2, 3}, {twice}, mode("linear"), 9),
        mover("Upsample9Odd", "Upsample", {1, 1, 3, 3}, {constant(singles({1, 1, 1.5F, 3}))}, {},
              9)),
    case_name);

Attributes block(std::string how) {
  return {{"blocksize", std::int64_t{2}}, {"mode", std::move(how)}};
}

INSTANTIATE_TEST_SUITE_P(Blocks, StructuralGradient,
                         testing::Values(mover("DepthToSpace", "DepthToSpace", {1, 8, 1, 2}, {},
                                               block("DCR")),
                                         mover("SpaceToDepth", "SpaceToDepth", {1, 2, 2, 4}, {},
                                               {{"blocksize", std::int64_t{2}}})),
                         case_name);

GradientCase einsum(std::string name, std::string equation, Dims a, Dims b) {
  return {.name = std::move(name),
          .type = "Einsum",
          .operands = {parameter(std::move(a)), parameter(std::move(b))},
          .attributes = {{"equation", std::move(equation)}}};
}

INSTANTIATE_TEST_SUITE_P(
    Einsum, StructuralGradient,
    testing::Values(einsum("EinsumProduct", "ij,jk->ik", {2, 3}, {3, 2}),
                    einsum("EinsumBatch", "bij,bkj->bik", {2, 2, 3}, {2, 2, 3}),
                    einsum("EinsumOuter", "i,j", {3}, {2}), einsum("EinsumDot", "i,i->", {3}, {3})),
    case_name);

GradientCase rotary(std::string name, Attributes attributes) {
  return {.name = std::move(name),
          .type = "RotaryEmbedding",
          .operands = {parameter({1, 2, 2, 4}),
                       constant(doubles({3, 2}, {0.9, 0.1, 0.5, 0.4, 0.3, 0.8})),
                       constant(doubles({3, 2}, {0.2, 0.7, 0.6, 0.3, 0.5, 0.1})),
                       constant(integers({1, 2}, {2, 0}))},
          .attributes = std::move(attributes),
          .opset = 23};
}

INSTANTIATE_TEST_SUITE_P(Rotary, StructuralGradient,
                         testing::Values(rotary("RotaryHalves", {}),
                                         rotary("RotaryPairs", {{"interleaved", std::int64_t{1}}})),
                         case_name);

}  // namespace structural_gradients_test
}  // namespace stashscope
