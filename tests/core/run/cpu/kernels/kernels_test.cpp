// Single operators with unusual types, values or positions.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "core/base/error.h"
#include "one_node.h"

namespace stashscope {
namespace kernels_test {

using namespace testing_run;  // NOLINT: the test's own helpers
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::HasSubstr;
using testing::IsNan;

constexpr char microsoft[] = "com.microsoft";
constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr float infinity = std::numeric_limits<float>::infinity();

using Items = std::vector<double>;

/// A number that float32 represents only approximately.
testing::Matcher<double> FloatNear(double number) { return testing::DoubleNear(number, 1e-6); }

std::string error_of(const OneNode& what) {
  try {
    run_node(what);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(ArithmeticKernels, PassNotANumberOn) {
  const Tensor left = singles({nan, 1, 1});
  const Tensor right = singles({1, nan, 2});
  EXPECT_THAT(result_of({"Max", {left, right}}), ElementsAre(IsNan(), IsNan(), 2));
  EXPECT_THAT(result_of({"Min", {left, right}}), ElementsAre(IsNan(), IsNan(), 1));
  EXPECT_THAT(result_of({"Relu", {singles({nan, -1, infinity})}}),
              ElementsAre(IsNan(), 0, infinity));
  EXPECT_THAT(result_of({"Clip", {singles({nan, -3, 3}), singles({}, {-1}), singles({}, {2})}}),
              ElementsAre(IsNan(), -1, 2));
  EXPECT_THAT(result_of({"ReduceMax", {singles({1, nan, 3})}}), ElementsAre(IsNan()));
}

TEST(ArithmeticKernels, DivideIntegersTowardsZeroAndRefuseZero) {
  const Tensor numerators = integers({4}, {7, -7, 7, std::numeric_limits<std::int64_t>::min()});
  const Tensor divisors = integers({4}, {2, 2, -2, -1});
  EXPECT_THAT(result_of({"Div", {numerators, divisors}}), ElementsAre(3, -3, -3, -0x1p63));
  EXPECT_THAT(error_of({"Div", {numerators, integers({}, {0})}}), HasSubstr("by zero"));
}

TEST(ArithmeticKernels, TakeTheSignOfTheDivisorForRemaindersUnlessAskedForFmod) {
  const Tensor a = integers({4}, {7, -7, 7, -7});
  const Tensor b = integers({4}, {3, 3, -3, -3});
  EXPECT_THAT(result_of({"Mod", {a, b}}), ElementsAre(1, 2, -2, -1));
  EXPECT_THAT(result_of({"Mod", {a, b}, {{"fmod", std::int64_t{1}}}}), ElementsAre(1, -1, 1, -1));
}

TEST(ArithmeticKernels, RaiseWholeNumbersToFractions) {
  EXPECT_THAT(result_of({"Pow", {integers({2}, {9, 2}), singles({0.5F, 3})}}), ElementsAre(3, 8));
}

TEST(ReductionKernels, FollowTheAxesOfAnyPosition) {
  std::vector<float> items(24);
  std::iota(items.begin(), items.end(), 0.0F);
  const Tensor x = singles({2, 3, 4}, items);
  const Attributes dropped = {{"keepdims", std::int64_t{0}}};
  EXPECT_THAT(result_of({"ReduceSum", {x, integers({2}, {0, 2})}, dropped}),
              ElementsAre(60, 92, 124));
  EXPECT_THAT(result_of({"ReduceMax", {x, integers({1}, {1})}, dropped}),
              ElementsAre(8, 9, 10, 11, 20, 21, 22, 23));
  EXPECT_THAT(result_of({"ReduceMean", {x}, dropped}), ElementsAre(11.5));
  EXPECT_THAT(result_of({"ReduceLogSumExp", {singles({1000, 1000})}}),
              ElementsAre(testing::DoubleNear(1000.6931, 1e-4)));
}

TEST(ReductionKernels, ChooseAmongEqualsByPosition) {
  const Tensor x = integers({2, 4}, {3, 1, 3, 2, 5, 5, 0, 5});
  const Attributes last_axis = {{"axis", std::int64_t{1}}, {"keepdims", std::int64_t{0}}};
  EXPECT_THAT(result_of({"ArgMax", {x}, last_axis}), ElementsAre(0, 0));
  Attributes last_index = last_axis;
  last_index.set("select_last_index", std::int64_t{1});
  EXPECT_THAT(result_of({"ArgMax", {x}, last_index}), ElementsAre(2, 3));
  EXPECT_THAT(result_of({"ArgMin", {x}, last_axis}), ElementsAre(1, 2));
  const auto top = run_node({"TopK", {x, integers({1}, {2})}, {}, 18, "", 2});
  EXPECT_THAT(numbers(top[0]), ElementsAre(3, 3, 5, 5));
  EXPECT_THAT(numbers(top[1]), ElementsAre(0, 2, 0, 1));
}

TEST(ConstantKernels, CountAndFill) {
  EXPECT_THAT(result_of({"Range", {singles({}, {1}), singles({}, {2.5F}), singles({}, {0.5F})}}),
              ElementsAre(1, 1.5, 2));
  EXPECT_THAT(result_of({"Range", {integers({}, {5}), integers({}, {0}), integers({}, {-2})}}),
              ElementsAre(5, 3, 1));
  EXPECT_THAT(
      result_of({"EyeLike", {integers({2, 3}, {0, 0, 0, 0, 0, 0})}, {{"k", std::int64_t{1}}}}),
      ElementsAre(0, 1, 0, 0, 0, 1));
  EXPECT_THAT(error_of({"Range", {integers({}, {1}), integers({}, {2}), integers({}, {0})}}),
              HasSubstr("'delta' must not be 0"));
}

Attributes random_of(float seed) { return {{"shape", Integers{10000}}, {"seed", seed}}; }

TEST(RandomKernels, DependOnTheSeedOnly) {
  const Items first = result_of({"RandomNormal", {}, random_of(3)});
  EXPECT_EQ(first, result_of({"RandomNormal", {}, random_of(3)}));
  EXPECT_NE(first, result_of({"RandomNormal", {}, random_of(4)}));
  const double sum = std::accumulate(first.begin(), first.end(), 0.0);
  const double squares = std::inner_product(first.begin(), first.end(), first.begin(), 0.0);
  EXPECT_NEAR(sum / 10000, 0, 0.05);
  EXPECT_NEAR(squares / 10000, 1, 0.05);
  const Items uniform = result_of({"RandomUniform", {}, random_of(3)});
  EXPECT_THAT(uniform, Each(testing::AllOf(testing::Ge(0), testing::Lt(1))));
  EXPECT_NEAR(std::accumulate(uniform.begin(), uniform.end(), 0.0) / 10000, 0.5, 0.02);
}

TEST(DropoutKernels, ScaleWhatTheMaskKeeps) {
  const Tensor ones = singles(std::vector<float>(1000, 1));
  const std::vector<Tensor> inputs = {ones, singles({}, {0.25F}), flags({}, {1})};
  const auto outputs = run_node({"Dropout", inputs, {}, 18, "", 2});
  const Items y = numbers(outputs[0]);
  const Items mask = numbers(outputs[1]);
  for (std::size_t i = 0; i < y.size(); ++i)
    EXPECT_FLOAT_EQ(float(y[i]), mask[i] != 0 ? 4.0F / 3 : 0);
  EXPECT_NEAR(std::accumulate(mask.begin(), mask.end(), 0.0), 750, 50);
}

TEST(DropoutKernels, OldVersionsDropUnlessTheyTest) {
  const Tensor ones = singles(std::vector<float>(100, 1));
  EXPECT_THAT(result_of({"Dropout", {ones}, {}, 6}), Contains(0));
  EXPECT_THAT(result_of({"Dropout", {ones}, {{"is_test", std::int64_t{1}}}, 6}), Each(1));
  EXPECT_THAT(result_of({"Dropout", {ones}, {}, 7}), Each(1));
}

TEST(DropoutKernels, PackBitsFromTheLowestOn) {
  const std::vector<Tensor> inputs = {singles(std::vector<float>(70, 1)), singles({}, {0.5F}),
                                      flags({}, {1})};
  const auto outputs = run_node({"BitmaskDropout", inputs, {}, 18, microsoft, 2});
  ASSERT_EQ(outputs[1].dims(), (std::vector<std::int64_t>{3}));
  const auto words = *outputs[1].integers();
  const Items y = numbers(outputs[0]);
  for (std::size_t i = 0; i < y.size(); ++i) {
    EXPECT_EQ((words[i / 32] >> (i % 32)) & 1, y[i] != 0 ? 1 : 0) << i;
  }
}

TEST(GatherKernels, CountFromTheEndAndRefuseWhatIsOutside) {
  const Tensor rows = singles({3, 2}, {1, 2, 3, 4, 5, 6});
  EXPECT_THAT(result_of({"Gather", {rows, integers({2}, {-1, 0})}}), ElementsAre(5, 6, 1, 2));
  EXPECT_THAT(error_of({"Gather", {rows, integers({1}, {3})}}),
              HasSubstr("index 3 is outside of 3 elements"));
  EXPECT_THAT(
      result_of({"OneHot", {integers({3}, {0, -1, 7}), integers({}, {3}), singles({0, 9})}}),
      ElementsAre(9, 0, 0, 0, 0, 9, 0, 0, 0));
}

TEST(GatherKernels, FindWhatIsNotZero) {
  const auto found = run_node({"NonZero", {singles({2, 3}, {0, 1, 0, 2, 0, 3})}})[0];
  EXPECT_EQ(found.dims(), (std::vector<std::int64_t>{2, 3}));
  EXPECT_THAT(numbers(found), ElementsAre(0, 1, 1, 1, 0, 2));
}

TEST(GatherKernels, TakePaddingOutAndPutZerosBack) {
  const auto node = [](const char* type, std::vector<Tensor> inputs, std::size_t outputs = 1) {
    return OneNode{
        .type = type, .inputs = std::move(inputs), .domain = microsoft, .outputs = outputs};
  };
  const Tensor whole = singles({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
  const Tensor places = integers({2}, {0, 3});
  const Tensor packed = singles({2, 2}, {1, 2, 7, 8});
  const Tensor leading = integers({2}, {2, 2});
  const auto unpadded = run_node(node("FlattenAndUnpad", {whole, places}))[0];
  EXPECT_EQ(unpadded.dims(), (std::vector<std::int64_t>{2, 2}));
  EXPECT_THAT(numbers(unpadded), ElementsAre(1, 2, 7, 8));
  const auto with_dims = run_node(node("FlattenAndUnpad", {whole, places}, 2));
  EXPECT_THAT(numbers(with_dims[0]), ElementsAre(1, 2, 7, 8));
  EXPECT_THAT(numbers(with_dims[1]), ElementsAre(2, 2));
  const auto padded = run_node(node("PadAndUnflatten", {packed, places, leading}))[0];
  EXPECT_EQ(padded.dims(), (std::vector<std::int64_t>{2, 2, 2}));
  EXPECT_THAT(numbers(padded), ElementsAre(1, 2, 0, 0, 0, 0, 7, 8));
  const Tensor from_end = integers({2}, {-4, -1});
  EXPECT_THAT(numbers(run_node(node("FlattenAndUnpad", {whole, from_end}))[0]),
              ElementsAre(1, 2, 7, 8));
  EXPECT_THAT(numbers(run_node(node("PadAndUnflatten", {packed, from_end, leading}))[0]),
              ElementsAre(1, 2, 0, 0, 0, 0, 7, 8));
  const Tensor outside = integers({2}, {0, 4});
  const auto refused = HasSubstr("index 4 is outside of 4 elements");
  EXPECT_THAT(error_of(node("FlattenAndUnpad", {whole, outside})), refused);
  EXPECT_THAT(error_of(node("PadAndUnflatten", {packed, outside, leading})), refused);
}

TEST(GatherKernels, ReduceScatteredElements) {
  const std::vector<Tensor> inputs = {singles({1, 2, 3}), integers({3}, {0, 0, 2}),
                                      singles({5, 7, -1})};
  const auto reduced = [&](const char* how) {
    return result_of({"ScatterElements", inputs, {{"reduction", std::string(how)}}});
  };
  EXPECT_THAT(reduced("none"), ElementsAre(7, 2, -1));
  EXPECT_THAT(reduced("add"), ElementsAre(13, 2, 2));
  EXPECT_THAT(reduced("mul"), ElementsAre(35, 2, -3));
  EXPECT_THAT(reduced("max"), ElementsAre(7, 2, 3));
}

TEST(PoolingKernels, TellWhereTheMaximaLie) {
  const Tensor x = singles({1, 2, 2, 2}, {1, 4, 4, 0, -1, -2, -3, -1});
  const Attributes whole = {{"kernel_shape", Integers{2, 2}}};
  const auto outputs = run_node({"MaxPool", {x}, whole, 12, "", 2});
  EXPECT_THAT(numbers(outputs[0]), ElementsAre(4, -1));
  EXPECT_THAT(numbers(outputs[1]), ElementsAre(1, 4));
}

TEST(MatMulKernels, SumOverNothingIsZero) {
  const auto product = run_node({"MatMul", {singles({2, 0}, {}), singles({0, 3}, {})}})[0];
  EXPECT_EQ(product.dims(), (std::vector<std::int64_t>{2, 3}));
  EXPECT_THAT(numbers(product), Each(0));
}

TEST(MatMulKernels, MultiplyIntegersAndStacksWithRowsFirst) {
  EXPECT_THAT(result_of({"MatMul", {integers({1, 2}, {-3, 2}), integers({2, 1}, {5, 4})}}),
              ElementsAre(-7));
  // `transBatchA` means that the left operand is [rows, batch, columns].
  const Tensor a = singles({2, 2, 1}, {1, 2, 3, 4});
  const Tensor b = singles({2, 1, 1}, {10, 100});
  EXPECT_THAT(result_of({"FusedMatMul", {a, b}, {{"transBatchA", std::int64_t{1}}}, 18, microsoft}),
              ElementsAre(10, 30, 200, 400));
}

TEST(MatMulKernels, FollowAnEquation) {
  const Tensor a = singles({2, 3}, {1, 2, 3, 4, 5, 6});
  const Tensor b = singles({3, 2}, {1, 0, 0, 1, 1, 1});
  const auto einsum = [](std::vector<Tensor> operands, const char* equation) {
    return result_of({"Einsum", std::move(operands), {{"equation", std::string(equation)}}});
  };
  EXPECT_THAT(einsum({a, b}, "ij,jk->ik"), ElementsAre(4, 5, 10, 11));
  EXPECT_THAT(einsum({a}, "ij->ji"), ElementsAre(1, 4, 2, 5, 3, 6));
  EXPECT_THAT(einsum({a}, "ij->i"), ElementsAre(6, 15));
  EXPECT_THAT(einsum({singles({2, 2}, {1, 2, 3, 4})}, "ii"), ElementsAre(5));
}

TEST(NormalizationKernels, AgreeWithEachOther) {
  const Tensor x = singles({1, 4, 2}, {1, 5, 2, 2.5F, -1, 3, 0, 7});
  const Tensor scale = singles({1, 2, 3, 4});
  const Tensor bias = singles({0, 1, 0, 1});
  const auto by_instance = result_of({"InstanceNormalization", {x, scale, bias}});
  const auto by_group =
      result_of({"GroupNormalization", {x, scale, bias}, {{"num_groups", std::int64_t{4}}}, 21});
  EXPECT_EQ(by_instance, by_group);
}

TEST(NormalizationKernels, AddTheSkippedInputFirst) {
  const Tensor x = singles({2, 2}, {1, 2, 3, 5});
  const Tensor skip = singles({2, 2}, {1, 0, 0, 1});
  const Tensor scale = singles({2, 1});
  const Tensor bias = singles({0, 1});
  const auto fused =
      run_node({"SkipLayerNormalization", {x, skip, scale, bias}, {}, 17, microsoft, 4});
  EXPECT_THAT(numbers(fused[3]), ElementsAre(2, 2, 3, 6));
  EXPECT_EQ(numbers(fused[0]), result_of({"LayerNormalization", {fused[3], scale, bias}}));
}

TEST(NormalizationKernels, MoveRunningStatistics) {
  const std::vector<Tensor> inputs = {singles({2, 1}, {1, 3}), singles({1}), singles({0}),
                                      singles({10}), singles({2})};
  const Attributes training = {{"training_mode", std::int64_t{1}}, {"momentum", 0.75F}};
  const auto outputs = run_node({"BatchNormalization", inputs, training, 15, "", 3});
  EXPECT_THAT(numbers(outputs[1]), ElementsAre(0.75 * 10 + 0.25 * 2));
  EXPECT_THAT(numbers(outputs[2]), ElementsAre(0.75 * 2 + 0.25 * 1));
}

TEST(TrainingKernels, AccumulateOrOverwrite) {
  const Tensor buffer = singles({1, 2});
  const Tensor value = singles({10, 20});
  const Tensor yes = flags({1}, {1});
  const Tensor no = flags({1}, {0});
  const auto old_form = [&](const Tensor& update) {
    return result_of({"InPlaceAccumulator", {buffer, value, update}, {}, 18, microsoft});
  };
  EXPECT_THAT(old_form(yes), ElementsAre(11, 22));
  EXPECT_THAT(old_form(no), ElementsAre(1, 2));
  const auto new_form = [&](const Tensor& overwrite) {
    return run_node({"InPlaceAccumulatorV2", {buffer, value, overwrite}, {}, 18, microsoft, 2});
  };
  EXPECT_THAT(numbers(new_form(yes)[1]), ElementsAre(10, 20));
  EXPECT_THAT(numbers(new_form(no)[1]), ElementsAre(11, 22));
  EXPECT_THAT(numbers(new_form(no)[0]), ElementsAre(1));
}

TEST(TrainingKernels, NameTheBroadcastAxes) {
  const auto axes = run_node({"BroadcastGradientArgs",
                              {integers({2}, {1, 3}), integers({3}, {2, 4, 1})},
                              {},
                              18,
                              microsoft,
                              2});
  EXPECT_THAT(numbers(axes[0]), ElementsAre(0, 1));
  EXPECT_THAT(numbers(axes[1]), ElementsAre(2));
}

TEST(TrainingKernels, TellTheLengthsOfWhatTheyJoin) {
  const std::vector<Tensor> parts = {singles({1, 2}, {1, 2}), singles({1, 1}, {3})};
  const auto outputs =
      run_node({"ConcatTraining", parts, {{"axis", std::int64_t{1}}}, 18, microsoft, 2});
  EXPECT_THAT(numbers(outputs[0]), ElementsAre(1, 2, 3));
  EXPECT_THAT(numbers(outputs[1]), ElementsAre(2, 1));
}

TEST(OptimizerKernels, AdamMovesByTheCorrectedMoments) {
  const Tensor step = integers({1}, {1});
  const auto adam = [&](std::int64_t mode, float decay, std::vector<Tensor> further) {
    std::vector<Tensor> inputs = {
        singles({0.1F}), step, singles({2, 4}), singles({1, -1}), singles({0, 0}), singles({0, 0})};
    inputs.insert(inputs.end(), further.begin(), further.end());
    return run_node({"AdamOptimizer",
                     inputs,
                     {{"alpha", 0.9F},
                      {"beta", 0.99F},
                      {"epsilon", 0.0F},
                      {"lambda", decay},
                      {"weight_decay_mode", mode}},
                     18,
                     microsoft,
                     4});
  };
  // The first step of Adam is the rate times the gradient's sign.
  const auto plain = adam(0, 0, {});
  EXPECT_THAT(numbers(plain[0]), ElementsAre(2));
  EXPECT_THAT(numbers(plain[1]), ElementsAre(FloatNear(0.1), FloatNear(-0.1)));
  EXPECT_THAT(numbers(plain[2]), ElementsAre(FloatNear(0.01), FloatNear(0.01)));
  EXPECT_THAT(numbers(plain[3]), ElementsAre(FloatNear(1.9), FloatNear(4.1)));
  // The decay is rate * 0.5 of the weight: of the weight before the step in mode 0, after it in
  // mode 1.
  EXPECT_THAT(numbers(adam(0, 0.5F, {})[3]), ElementsAre(FloatNear(1.8), FloatNear(3.9)));
  EXPECT_THAT(numbers(adam(1, 0.5F, {})[3]), ElementsAre(FloatNear(1.805), FloatNear(3.895)));
  const auto kept = adam(0, 0, {flags({1}, {0})});
  EXPECT_THAT(numbers(kept[0]), ElementsAre(1));
  EXPECT_THAT(numbers(kept[3]), ElementsAre(2, 4));
}

/// Weights as AdamOptimizer of onnxruntime-training 1.19.2 returns them.
TEST(OptimizerKernels, AdamMovesAsTheReferenceDoes) {
  const auto weights = [](std::int64_t mode, float decay) {
    return result_of(
        {"AdamOptimizer",
         {singles({0.1F}), integers({1}, {3}), singles({1, 2, -3}), singles({0.5F, -0.25F, 1}),
          singles({0.1F, 0.2F, 0.3F}), singles({0.4F, 0.5F, 0.6F})},
         {{"alpha", 0.9F},
          {"beta", 0.99F},
          {"epsilon", 1e-3F},
          {"lambda", decay},
          {"weight_decay_mode", mode}},
         18,
         microsoft,
         4},
        3);
  };
  EXPECT_THAT(weights(0, 0),
              ElementsAre(FloatNear(0.9859003), FloatNear(1.9860021), FloatNear(-3.0302694)));
  EXPECT_THAT(weights(0, 0.2F),
              ElementsAre(FloatNear(0.96590024), FloatNear(1.946002), FloatNear(-2.9702694)));
  EXPECT_THAT(weights(1, 0.2F),
              ElementsAre(FloatNear(0.96620035), FloatNear(1.9462981), FloatNear(-2.9696324)));
}

TEST(LegacyGradientKernels, AreThoseOfDivisionReshapingAndTanh) {
  const Tensor dy = singles({2, 2}, {1, 2, 3, 4});
  const Tensor a = singles({2, 2}, {2, 4, 6, 8});
  const auto both = run_node({"DivGrad", {dy, a, singles({}, {2})}, {}, 10, {}, 2});
  EXPECT_THAT(numbers(both[0]), ElementsAre(0.5, 1, 1.5, 2));
  EXPECT_THAT(numbers(both[1]), ElementsAre(-(2 + 8 + 18 + 32) / 4.0));
  const auto back = run_node({"ReshapeGrad", {singles({4}, {0, 0, 0, 0}), dy}, {}, 10});
  EXPECT_THAT(back[0].dims(), ElementsAre(4));
  EXPECT_THAT(numbers(back[0]), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(result_of({"TanhGrad", {singles({0.5F, 0}), singles({4, 5})}, {}, 10}),
              ElementsAre(3, 5));
}

TEST(AtenKernels, EmbedAndSumBack) {
  const auto aten = [](const char* name, std::vector<Tensor> inputs) {
    return result_of(
        {"ATen", std::move(inputs), {{"operator", std::string(name)}}, 18, "org.pytorch.aten"});
  };
  const Tensor indices = integers({3}, {2, 0, 2});
  const Tensor none = integers({}, {-1});
  const Tensor no = flags({}, {0});
  EXPECT_THAT(aten("embedding", {singles({3, 1}, {5, 6, 7}), indices, none, no, no}),
              ElementsAre(7, 5, 7));
  const Tensor gradient = singles({3, 1}, {1, 2, 4});
  const Tensor rows = integers({}, {3});
  EXPECT_THAT(aten("embedding_backward", {gradient, indices, rows, none, no, no}),
              ElementsAre(2, 0, 5));
  EXPECT_THAT(aten("embedding_backward", {gradient, indices, rows, integers({}, {2}), no, no}),
              ElementsAre(2, 0, 0));
}

TEST(CpuRunner, NamesTheOperatorsItLacks) {
  EXPECT_THAT(error_of({"ImageDecoder", {singles({1})}}), HasSubstr("no kernel for: ImageDecoder"));
}

TEST(CpuRunner, NamesTheNodeThatFails) {
  EXPECT_THAT(error_of({"Div", {integers({1}, {1}), integers({1}, {0})}}),
              HasSubstr("node 'node' (Div)"));
}

TEST(MaxPool, OfAWindowThatLiesInThePaddingHasNoPlace) {
  const OneNode pool{
      "MaxPool",
      {singles({1, 1, 2}, {3, 5})},
      {{"kernel_shape", Integers{2}}, {"pads", Integers{1, 1}}, {"dilations", Integers{3}}},
      18,
      "",
      2};
  const std::vector<Tensor> pooled = run_node(pool);
  ASSERT_EQ(pooled[1].elements(), 1);
  const OneNode back{"MaxPoolGrad",
                     {singles({1, 1, 1}, {7}), integers({1, 1, 1}, {-1}), integers({3}, {1, 1, 2})},
                     {},
                     18,
                     "com.microsoft"};
  EXPECT_THAT(result_of(back), ElementsAre(0, 0));
}

TEST(Kernels, RefuseAnEmptyOperandWhereOneNumberIsNeeded) {
  const OneNode clip{"Clip", {singles({1, 2}), singles({0}, {})}};
  EXPECT_THAT(error_of(clip), HasSubstr("has no elements"));
  const OneNode trilu{"Trilu", {singles({2, 2}, {1, 2, 3, 4}), integers({0}, {})}};
  EXPECT_THAT(error_of(trilu), HasSubstr("has no elements"));
}

TEST(Slice, TakesOnePositionByStepsBeyondAnyAxis) {
  const OneNode slice{"Slice",
                      {singles({1, 2, 3}), integers({1}, {0}), integers({1}, {3}),
                       integers({1}, {0}), integers({1}, {INT64_MAX})}};
  EXPECT_THAT(result_of(slice), ElementsAre(1));
  const OneNode back{"Slice",
                     {singles({1, 2, 3}), integers({1}, {2}), integers({1}, {INT64_MIN}),
                      integers({1}, {0}), integers({1}, {INT64_MIN})}};
  EXPECT_THAT(result_of(back), ElementsAre(3));
}

}  // namespace kernels_test
}  // namespace stashscope
