// The product with a vocabulary and its cross-entropy in pieces: its slopes, and the step made of
// MatMul, Add and SoftmaxCrossEntropyLoss.

#include "tests/core/run/cpu/kernels/element_types.h"
#include "tests/core/run/cpu/losses/loss_cases.h"
#include "tests/support/refusal.h"

namespace stashscope {
namespace linear_loss_test {

using namespace testing_run;              // NOLINT: the test's own helpers
using namespace testing_run::loss_cases;  // NOLINT

class LinearLoss : public testing::TestWithParam<LossCase> {};

TEST_P(LinearLoss, HasTheGradientsOfItsSlopes) { check_gradients(in_pieces(GetParam())); }

TEST_P(LinearLoss, HoldsInEveryFloatingType) { check_element_types(in_pieces(GetParam())); }

/// The same loss by the operators of ONNX, on the same operands.
Graph decomposed(const LossCase& each) {
  GraphData data = graph_of(in_pieces(each)).data();
  const Node joined = data.nodes[NodeId(0)];
  data.nodes = {};
  const auto add = [&](std::string type, std::vector<ValueId> inputs, Attributes attributes = {}) {
    Node node;
    node.name = node.op_type = std::move(type);
    node.inputs = std::move(inputs);
    node.attributes = std::move(attributes);
    node.outputs = {node.op_type == "SoftmaxCrossEntropyLoss"
                        ? joined.outputs[0]
                        : data.add_value(node.op_type + "_output", {})};
    return data.nodes[data.nodes.push_back(std::move(node))].outputs[0];
  };
  const auto reshaped = [&](ValueId id, const Dims& dims) {
    return add("Reshape", {id, data.add_initializer("dims" + std::to_string(dims.size()),
                                                    Tensor::int64s(dims))});
  };
  const ValueId weight = each.transposed ? add("Transpose", {joined.inputs[1]}) : joined.inputs[1];
  ValueId scores = add("MatMul", {joined.inputs[0], weight});
  if (each.scale != 1) {
    const Tensor factor = doubles({}, {double{each.scale}});
    scores = add("Mul", {scores, data.add_initializer("factor", factor)});
  }
  if (joined.inputs[3].valid()) scores = add("Add", {scores, joined.inputs[3]});
  std::vector<ValueId> inputs = {reshaped(scores, {-1, classes}), reshaped(joined.inputs[2], {-1})};
  if (each.has_weights) inputs.push_back(joined.inputs[4]);
  add("SoftmaxCrossEntropyLoss", std::move(inputs), loss_attributes(each));
  return Graph(std::move(data));
}

TEST_P(LinearLoss, EqualsTheDecomposedStep) {
  const ModelStep joined(prepare_training_step(graph_of(in_pieces(GetParam())), {}), {});
  const ModelStep apart(prepare_training_step(decomposed(GetParam()), {}), {});
  NamedTensors seeds = with_seeds(joined, joined.default_plan(), {});
  const NamedTensors ours = run_on_cpu(joined.default_plan(), seeds).outputs;
  for (auto& [name, seed] : seeds) {
    if (seed.elements() > 1) seed = doubles({seed.elements()}, numbers(seed));
  }
  const NamedTensors expected = run_on_cpu(apart.default_plan(), seeds).outputs;
  ASSERT_EQ(ours.size(), GetParam().has_bias ? 4U : 3U) << "the loss and its gradients";
  for (const auto& [name, tensor] : ours) {
    const Difference found = stashscope::difference(numbers(tensor), numbers(expected.at(name)));
    EXPECT_LE(found.largest, 1e-13 * std::max(1.0, found.largest_value)) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Pieces, LinearLoss, testing::ValuesIn(all_losses()),
                         [](const auto& info) { return info.param.name; });

TEST(LinearLossRows, WithAnIgnoredLabelAreNotComputed) {
  const float none = std::numeric_limits<float>::quiet_NaN();
  const Tensor hidden = singles({3, 2}, {1, 2, none, none, 0, 1});
  const std::vector<Tensor> made =
      run_node(small_loss(hidden, {0, ignored, 2}, {{"ignore_index", ignored}}));
  const std::vector<double> alone =
      numbers(run_node(small_loss(singles({2, 2}, {1, 2, 0, 1}), {0, 2}, {}))[0]);
  EXPECT_NEAR(numbers(made[0])[0], alone[0], 1e-6);
  EXPECT_EQ(numbers(made[1])[1], 0);
}

TEST(LinearLossRows, WithoutAnyLabelHaveNoMean) {
  const Tensor hidden = singles({2, 2}, {1, 2, 0, 1});
  const Attributes ignoring = {{"ignore_index", ignored}};
  EXPECT_TRUE(std::isnan(result_of(small_loss(hidden, {ignored, ignored}, ignoring))[0]));
  EXPECT_EQ(result_of(small_loss(hidden, {ignored, ignored},
                                 with(ignoring, "reduction", std::string("sum"))))[0],
            0);
}

TEST(LinearLossRows, GiveTheLogarithmOfTheirSum) {
  const Tensor hidden = singles({1, 2}, {1, 2});  // scores 2, 4, -1
  const std::vector<double> sums = numbers(run_node(small_loss(hidden, {1}, {}))[1]);
  EXPECT_NEAR(sums.at(0), std::log(std::exp(2.0) + std::exp(4.0) + std::exp(-1.0)), 1e-6);
}

TEST(LinearLossRows, OfLargeScoresDoNotOverflow) {
  const Tensor hidden = singles({1, 2}, {1000, 0});
  EXPECT_NEAR(result_of(small_loss(hidden, {2}, {}))[0], 2000, 1e-3);
}

TEST(LinearLossRows, RefuseALabelThatIsNoClass) {
  const Tensor hidden = singles({1, 2}, {1, 2});
  const std::string said =
      test::refusal(ErrorKind::run, [&] { run_node(small_loss(hidden, {3}, {})); });
  EXPECT_NE(said.find('3'), std::string::npos) << said;
}

TEST(LinearLossRows, GiveAFloat32LossOf16BitStatesOnRequest) {
  const Tensor hidden = converted(doubles({1, 2}, {1, 2}), ElementType::bfloat16);
  OneNode node = small_loss(hidden, {0}, {{"output_type", std::int64_t{1}}});
  node.inputs[1] = converted(doubles({2, 3}, {1, 0, -1, 0.5, 2, 0}), ElementType::bfloat16);
  const std::vector<Tensor> made = run_node(node);
  EXPECT_EQ(made[0].element(), ElementType::float32);
  EXPECT_NEAR(numbers(made[0])[0], numbers(made[1])[0] - 2, 1e-6) << "not rounded to 16 bits";
}

}  // namespace linear_loss_test
}  // namespace stashscope
