// Operands with mismatched shapes are refused before a kernel reads out of bounds, and unknown
// values of attributes are not guessed.

#include <gtest/gtest.h>

#include "core/passes/infer_shapes.h"
#include "tests/support/model_builder.h"
#include "tests/support/refusal.h"

namespace stashscope {
namespace operand_shapes_test {

struct Misfit {
  const char* type;
  std::vector<std::vector<test::ModelBuilder::Dim>> operands;
  std::string reason;
  Attributes attributes = {};
  std::string domain = {};
  std::vector<std::size_t> indices = {};  ///< operands of integers
};

void PrintTo(const Misfit& misfit, std::ostream* out) { *out << misfit.type; }

class Operands : public testing::TestWithParam<Misfit> {};

TEST_P(Operands, OfOtherSizesAreRefused) {
  const Misfit& misfit = GetParam();
  test::ModelBuilder m;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < misfit.operands.size(); ++i) {
    names.push_back("operand" + std::to_string(i));
    const auto& list = misfit.indices;
    const bool is_index = std::find(list.begin(), list.end(), i) != list.end();
    m.input(names.back(), misfit.operands[i], is_index ? ElementType::int64 : ElementType::float32);
  }
  m.node(misfit.type, names, {"y"}, misfit.attributes, misfit.domain).output("y");
  const std::string text = test::refusal(ErrorKind::input, [&] { infer_shapes(m.build()); });
  EXPECT_NE(text.find(misfit.reason), std::string::npos) << text;
}

const Misfit misfits[] = {
    {"Gemm", {{2, 3}, {3, 4}, {2}}, "input 2 of shape [2] does not broadcast to [2, 4]"},
    {"Conv",
     {{1, 2, 5}, {3, 2, 1}, {1}},
     "the length of the bias and the number of output channels differ: 1 and 3"},
    {"ConvTranspose",
     {{1, 2, 5}, {2, 3, 1}, {2}},
     "the length of the bias and the number of output channels differ: 2 and 3"},
    {"PRelu", {{3, 4}, {3}}, "input 1 of shape [3] does not broadcast to [3, 4]"},
    {"InstanceNormalization", {{1, 4, 5}, {2}, {4}}, "the number of channels differ: 2 and 4"},
    {"BiasGelu", {{3, 4}, {2}}, "the last axis differ: 2 and 4", {}, "com.microsoft"},
    {"SoftmaxCrossEntropyLoss",
     {{3, 4}, {3}, {2}},
     "the number of class weights and the number of classes differ: 2 and 4",
     {},
     {},
     {1}},
    {"GatherElements",
     {{3, 4}, {5, 1}},
     "indices of shape [5, 1] are larger than its data",
     {{"axis", std::int64_t{1}}},
     {},
     {1}},
    {"ScatterElements",
     {{3, 4}, {2, 4}, {2, 3}},
     "input 2 has shape [2, 3], but the other operands need [2, 4]",
     {},
     {},
     {1}},
    {"ScatterND",
     {{5, 3}, {2, 1}, {2, 1}},
     "input 2 has shape [2, 1], but the other operands need [2, 3]",
     {},
     {},
     {1}},
    {"GatherND",
     {{3, 4}, {5, 1}},
     "the sizes of a batch axis of data and indices differ: 3 and 5",
     {{"batch_dims", std::int64_t{1}}},
     {},
     {1}},
};

INSTANTIATE_TEST_SUITE_P(Types, Operands, testing::ValuesIn(misfits),
                         [](const auto& info) { return info.param.type; });

TEST(TopK, TakesAtMostWhatIsThere) {
  test::ModelBuilder m;
  m.input("x", {4}).int64s("k", {9}).node("TopK", {"x", "k"}, {"y", "i"}).output("y");
  EXPECT_NE(test::refusal(ErrorKind::input, [&] { infer_shapes(m.build()); }).find("k is 9"),
            std::string::npos);
}

TEST(CumSum, NeedsAnAxisOfItsData) {
  test::ModelBuilder m;
  m.input("x", {4, 2}).constant("axis", Tensor::int64_scalar(5));
  m.node("CumSum", {"x", "axis"}, {"y"}).output("y");
  EXPECT_NE(test::refusal(ErrorKind::input, [&] { infer_shapes(m.build()); })
                .find("axis 5 is outside of rank 2"),
            std::string::npos);
}

TEST(MaxPool, KnowsItsKindsOfPadding) {
  const auto said_of = [](const char* padding) {
    test::ModelBuilder m;
    const Attributes attributes = {{"kernel_shape", Integers{2, 2}},
                                   {"auto_pad", std::string(padding)}};
    m.input("x", {1, 1, 4, 4}).node("MaxPool", {"x"}, {"y"}, attributes).output("y");
    return test::refusal(ErrorKind::input, [&] { infer_shapes(m.build()); });
  };
  EXPECT_NE(said_of("SAME").find("'auto_pad' has the unknown value 'SAME'"), std::string::npos);
  EXPECT_EQ(said_of("SAME_LOWER"), "accepted");
  EXPECT_EQ(said_of(""), "accepted");
}

TEST(Resize, KnowsItsPolicies) {
  const auto said_of = [](const char* policy) {
    test::ModelBuilder m(18);
    m.input("x", {1, 1, 4, 4}).int64s("sizes", {1, 1, 8, 8});
    m.node("Resize", {"x", "", "", "sizes"}, {"y"},
           {{"keep_aspect_ratio_policy", std::string(policy)}});
    return test::refusal(ErrorKind::input, [&] { infer_shapes(m.output("y").build()); });
  };
  EXPECT_NE(said_of("smaller").find("unknown keep_aspect_ratio_policy 'smaller'"),
            std::string::npos);
  EXPECT_EQ(said_of("not_smaller"), "accepted");
}

}  // namespace operand_shapes_test
}  // namespace stashscope
