// Operands that are each valid but do not fit together, and sizes of 0, are refused or give empty
// results.

#include "tests/core/run/cpu/kernels/one_node.h"
#include "tests/support/refusal.h"

namespace stashscope {
namespace operands_that_disagree_test {

using namespace testing_run;  // NOLINT: the test's own helpers

Tensor zeros(const std::vector<std::int64_t>& dims) {
  return singles(dims, std::vector<float>(static_cast<std::size_t>(element_count(dims))));
}

std::string refusal_of(const OneNode& node) {
  return test::refusal(ErrorKind::run, [&] { run_node(node); });
}

void expect_refused(const OneNode& node, const std::string& because) {
  const std::string said = refusal_of(node);
  EXPECT_NE(said.find(because), std::string::npos) << node.type << ": " << said;
}

TEST(OperandsThatDisagree, ASumOverNothingIsZero) {
  const OneNode product = {
      "Einsum", {zeros({2, 0}), zeros({0, 3})}, {{"equation", std::string("ij,jk->ik")}}};
  EXPECT_EQ(result_of(product), std::vector<double>(6, 0));
  const OneNode nothing = {
      "Einsum", {zeros({0, 2}), zeros({2, 3})}, {{"equation", std::string("ij,jk->ik")}}};
  EXPECT_EQ(run_node(nothing)[0].dims(), (std::vector<std::int64_t>{0, 3}));
}

TEST(OperandsThatDisagree, AxesAreNoAttributeOfLaterVersions) {
  for (const char* const type : {"ReduceSum", "ReduceMean", "ReduceMax"}) {
    expect_refused({type, {zeros({2, 3})}, {{"axes", Integers{0}}}, 18}, "axes as an attribute");
  }
  EXPECT_EQ(run_node({"ReduceMean", {zeros({2, 3})}, {{"axes", Integers{0}}}, 13})[0].dims(),
            (std::vector<std::int64_t>{1, 3}));
}

TEST(OperandsThatDisagree, NothingIsNotTransformed) {
  expect_refused({"DFT", {zeros({1, 4, 1}), Tensor::int64_scalar(0)}, {}, 20}, "the length is 0");
  expect_refused(
      {"STFT", {zeros({1, 8, 1}), Tensor::int64_scalar(2), {}, Tensor::int64_scalar(0)}, {}, 17},
      "the length is 0");
}

TEST(OperandsThatDisagree, LinearAttention) {
  const Attributes heads = {{"q_num_heads", std::int64_t{2}}, {"kv_num_heads", std::int64_t{2}}};
  const auto attention = [&](std::vector<Tensor> inputs) {
    return OneNode{"LinearAttention", std::move(inputs), heads, 27};
  };
  const Tensor x = zeros({2, 3, 4});
  const Tensor state = zeros({2, 2, 2, 2});
  const Tensor factor = zeros({2, 3, 2});
  EXPECT_EQ(run_node(attention({x, x, x, state, factor, factor}))[0].dims(), x.dims());
  expect_refused(attention({x, zeros({2, 2, 4}), x, state, factor, factor}),
                 "the sequence lengths");
  expect_refused(attention({x, zeros({1, 3, 4}), x, state, factor, factor}), "the batch sizes");
  expect_refused(attention({x, zeros({2, 3, 6}), x, state, factor, factor}), "queries and keys");
  expect_refused(attention({x, x, zeros({2, 3, 3}), state, factor, factor}), "not a multiple");
  expect_refused(attention({x, x, x, zeros({2, 2, 1, 2}), factor, factor}), "[2, 2, 1, 2]");
  expect_refused(attention({x, x, x, state, zeros({2, 3, 3}), factor}), "must have 1, 2 or 4");
  expect_refused(attention({x, x, x, state, factor, zeros({2, 0, 2})}), "the sequence lengths");
}

TEST(OperandsThatDisagree, NegativeLengthsOfKeys) {
  const Tensor x = zeros({1, 1, 2, 4});
  expect_refused({"Attention", {x, x, x, {}, {}, {}, Tensor::int64s({-1})}, {}, 24},
                 "negative number of keys");
}

TEST(OperandsThatDisagree, MaxUnpool) {
  const Attributes window = {{"kernel_shape", Integers{2, 2}}, {"strides", Integers{2, 2}}};
  const Tensor pooled = zeros({1, 1, 2, 2});
  const Tensor places = integers({1, 1, 2, 2}, {0, 2, 8, 10});
  const auto unpool = [&](const Tensor& indices, const std::vector<std::int64_t>& dims) {
    return OneNode{"MaxUnpool", {pooled, indices, Tensor::int64s(dims)}, window, 11};
  };
  EXPECT_EQ(run_node(unpool(places, {1, 1, 4, 4}))[0].dims(),
            (std::vector<std::int64_t>{1, 1, 4, 4}));
  expect_refused(unpool(integers({1, 1, 1, 2}, {0, 2}), {1, 1, 4, 4}), "[1, 1, 1, 2]");
  expect_refused(unpool(places, {1, 1, 4}), "dims");
  expect_refused(unpool(places, {0, 1, 4, 4}), "the batch or channel sizes");
}

TEST(OperandsThatDisagree, MovedKernelsAndRegions) {
  const Tensor x = zeros({1, 1, 3, 3});
  const Tensor w = zeros({1, 1, 2, 2});
  EXPECT_EQ(run_node({"DeformConv", {x, w, zeros({1, 8, 2, 2})}, {}, 19})[0].dims(),
            (std::vector<std::int64_t>{1, 1, 2, 2}));
  expect_refused({"DeformConv", {x, w, zeros({2, 8, 2, 2})}, {}, 19}, "the batch sizes");
  expect_refused({"DeformConv", {x, w, zeros({1, 6, 2, 2})}, {}, 19},
                 "the number of offset channels");
  expect_refused({"DeformConv", {x, w, zeros({1, 8, 2, 2}), {}, zeros({1, 4, 1, 2})}, {}, 19},
                 "[1, 4, 1, 2]");
  expect_refused({"RoiAlign", {zeros({1, 1, 0, 3}), zeros({1, 4}), integers({1}, {0})}, {}, 16},
                 "images are empty");
}

TEST(OperandsThatDisagree, BiasesGradientsAndBatches) {
  const Tensor x = zeros({1, 1, 3, 3});
  const Tensor w = zeros({3, 1, 2, 2});
  expect_refused({"DeformConv", {x, w, zeros({1, 8, 2, 2}), zeros({1})}, {}, 19}, "the bias");
  expect_refused(
      {"CumProdGrad", {zeros({4}), zeros({2}), Tensor::int64_scalar(0)}, {}, 18, "com.microsoft"},
      "[2]");
  expect_refused({"AffineGrid", {zeros({1, 2, 3}), Tensor::int64s({4, 1, 2, 2})}, {}, 20},
                 "the batch size");
}

TEST(OperandsThatDisagree, HalfASpectrumIsOfARealSignal) {
  const Attributes half = {{"onesided", std::int64_t{1}}};
  expect_refused({"DFT", {zeros({1, 4, 2})}, half, 20}, "complex");
  expect_refused({"STFT", {zeros({1, 8, 2}), Tensor::int64_scalar(2), zeros({4})}, half, 17},
                 "complex");
}

TEST(OperandsThatDisagree, UnknownModesAreNotGuessed) {
  const Attributes mode = {{"mode", std::string("bogus")}};
  const Tensor image = zeros({1, 1, 2, 2});
  expect_refused({"GridSample", {image, zeros({1, 2, 2, 2})}, mode, 20}, "mode is 'bogus'");
  expect_refused({"RoiAlign", {image, zeros({1, 4}), integers({1}, {0})}, mode, 16}, "'bogus'");
  expect_refused({"TensorScatter", {image, image}, mode, 24}, "'bogus'");
  expect_refused(
      {"HannWindow", {Tensor::int64_scalar(4)}, {{"output_datatype", std::int64_t{99}}}, 17}, "99");
}

TEST(OperandsThatDisagree, SeveralScalesOfAProductAreRefused) {
  const auto bytes = [](const std::vector<std::int64_t>& dims) {
    return Tensor(ElementType::uint8, dims,
                  std::string(static_cast<std::size_t>(element_count(dims)), '\0'));
  };
  const Tensor one = singles({}, {1});
  expect_refused(
      {"QLinearMatMul",
       {bytes({2, 2}), one, bytes({}), bytes({2, 2}), one, bytes({}), singles({1, 2}), bytes({2})},
       {},
       21},
      "several scales");
}

TEST(OperandsThatDisagree, ForeignOperatorsNamedLikeOursAreUnknown) {
  const OneNode foreign = {"YieldOp", {zeros({2})}, {}, 18, "foo"};
  const std::string said = test::refusal(ErrorKind::input, [&] { run_node(foreign); });
  EXPECT_NE(said.find("no kernel for: foo.YieldOp"), std::string::npos) << said;
}

}  // namespace operands_that_disagree_test
}  // namespace stashscope
