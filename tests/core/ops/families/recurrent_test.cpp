// Shapes, refusals and training forms of RNN, GRU and LSTM.

#include <gtest/gtest.h>

#include "core/passes/infer_shapes.h"
#include "core/passes/training_step.h"
#include "tests/support/model_builder.h"
#include "tests/support/refusal.h"
#include "tests/support/shape_text.h"

namespace stashscope {
namespace recurrent_test {

using test::ModelBuilder;
using test::shape_text;
using Dims = std::vector<ModelBuilder::Dim>;

std::string both_ways() { return "bidirectional"; }

/// An LSTM with named sizes.
ModelBuilder lstm(const Dims& x, const Dims& w, const Dims& r, Attributes attributes = {}) {
  ModelBuilder m;
  m.input("x", x).input("w", w).input("r", r);
  m.node("LSTM", {"x", "w", "r"}, {"y", "h", "c"}, std::move(attributes));
  m.output("y").output("h").output("c");
  return m;
}

TEST(RecurrentShapes, AreNamedByTheOperands) {
  const Graph forward = infer_shapes(lstm({"S", "N", "I"}, {1, "G", "I"}, {1, "G", "H"}).build());
  EXPECT_EQ(shape_text(forward, "y"), "S, 1, N, H");
  EXPECT_EQ(shape_text(forward, "h"), "1, N, H");
  EXPECT_EQ(shape_text(forward, "c"), "1, N, H");
  const Graph both = infer_shapes(lstm({"N", "S", 3}, {2, 8, 3}, {2, 8, 2},
                                       {{"layout", std::int64_t{1}}, {"direction", both_ways()}})
                                      .build());
  EXPECT_EQ(shape_text(both, "y"), "N, S, 2, 2");
  EXPECT_EQ(shape_text(both, "h"), "N, 2, 2");
}

TEST(RecurrentShapes, ComeFromTheHiddenSizeWhereTheWeightsAreUnknown) {
  ModelBuilder m;
  m.input("x", {"S", "N", 3}).input("dims", {3}, ElementType::int64);
  m.weight("numbers", {24}).node("Reshape", {"numbers", "dims"}, {"w"});
  m.node("Reshape", {"numbers", "dims"}, {"r"});
  m.node("LSTM", {"x", "w", "r"}, {"y"}, {{"hidden_size", std::int64_t{2}}}).output("y");
  EXPECT_EQ(shape_text(infer_shapes(m.build()), "y"), "S, 1, N, 2");
}

struct Misfit {
  Dims x;
  Dims w;
  Dims r;
  Attributes attributes;
  std::string reason;
};

class RecurrentOperands : public testing::TestWithParam<Misfit> {};

TEST_P(RecurrentOperands, ThatDoNotFitAreRefused) {
  const Misfit& each = GetParam();
  const Graph model = lstm(each.x, each.w, each.r, each.attributes).build();
  const std::string text = test::refusal(ErrorKind::input, [&] { infer_shapes(model); });
  EXPECT_NE(text.find(each.reason), std::string::npos) << text;
}

const Dims data = {5, 4, 3};
const Dims weights = {1, 8, 3};
const Dims state_weights = {1, 8, 2};

INSTANTIATE_TEST_SUITE_P(
    All, RecurrentOperands,
    testing::Values(
        Misfit{data, {1, 8, 4}, state_weights, {}, "input 1 and of other operands differ: 4 and 3"},
        Misfit{data, {1, 6, 3}, state_weights, {}, "input 1 and of other operands differ: 6 and 8"},
        Misfit{data, {2, 8, 3}, state_weights, {}, "input 1 and of other operands differ: 2 and 1"},
        Misfit{data, weights, {1, 8}, {}, "input 2 (R) has shape [1, 8], of rank 2"},
        Misfit{{5, 3}, weights, state_weights, {}, "input 0 (X) has shape [5, 3], of rank 2"},
        Misfit{data,
               weights,
               state_weights,
               {{"hidden_size", std::int64_t{3}}},
               "attribute 'hidden_size' and the hidden size of the weights differ: 2 and 3"},
        Misfit{data,
               weights,
               state_weights,
               {{"direction", std::string("backward")}},
               "unknown direction 'backward'"},
        Misfit{data, weights, state_weights, {{"layout", std::int64_t{2}}}, "unknown layout 2"},
        Misfit{data, weights, state_weights, {{"clip", -1.0F}}, "'clip' is not above 0"},
        Misfit{data,
               weights,
               state_weights,
               {{"activations", Strings{"Sigmoid", "Tanh"}}},
               "has 2 activations; the operator needs 3"},
        Misfit{data,
               weights,
               state_weights,
               {{"activations", Strings{"Sigmoid", "Tanh", "Gelu"}}},
               "unknown activation Gelu"}));

TEST(RecurrentOperands, NeedIntegersForLengths) {
  ModelBuilder m;
  m.input("x", data).input("w", weights).input("r", state_weights).input("lengths", {4});
  m.node("LSTM", {"x", "w", "r", "", "lengths"}, {"y"}).output("y");
  const std::string text = test::refusal(ErrorKind::input, [&] { infer_shapes(m.build()); });
  EXPECT_NE(text.find("input 4 (sequence_lens) has elements of type float32"), std::string::npos)
      << text;
}

/// x -> an operator -> the mean of its first output.
Graph trained(const std::string& type, std::int64_t gates) {
  ModelBuilder m;
  m.input("x", {"S", "N", 3});
  m.weight("w", {1, gates * 2, 3}).weight("r", {1, gates * 2, 2}).weight("b", {1, gates * 4});
  m.node(type, {"x", "w", "r", "b"}, {"", "h"}, {{"hidden_size", std::int64_t{2}}});
  m.node("ReduceMean", {"h"}, {"loss"}, {{"keepdims", std::int64_t{0}}}).output("loss");
  return *prepare_training_step(m.build(), {}).graph;
}

const Node& only(const Graph& graph, const std::string& type) {
  const Node* found = nullptr;
  for (const Node& node : graph.nodes()) {
    if (node.op_type == type) found = &node;
  }
  if (found == nullptr) throw std::runtime_error("no " + type);
  return *found;
}

std::string shape_of(const Graph& graph, ValueId id) {
  return shape_text(graph, graph.value(id).name);
}

TEST(RecurrentTraining, KeepsTheStatesAndGatesOfEveryStep) {
  const Graph lstm_step = trained("LSTM", 4);
  const Node& lstm_node = only(lstm_step, "LSTMTraining");
  EXPECT_EQ(lstm_node.domain, "com.microsoft");
  ASSERT_EQ(lstm_node.outputs.size(), 5U);
  EXPECT_EQ(shape_of(lstm_step, lstm_node.outputs[0]), "S, 1, N, 2");
  EXPECT_FALSE(lstm_node.outputs[2].valid());
  EXPECT_EQ(shape_of(lstm_step, lstm_node.outputs[3]), "S, 1, N, 2");
  EXPECT_EQ(shape_of(lstm_step, lstm_node.outputs[4]), "S, 1, N, 8");
  const Graph gru_step = trained("GRU", 3);
  const Node& gru_node = only(gru_step, "GRUTraining");
  ASSERT_EQ(gru_node.outputs.size(), 3U);
  EXPECT_EQ(shape_of(gru_step, gru_node.outputs[2]), "S, 1, N, 6");
}

TEST(RecurrentTraining, OfRnnKeepsTheStates) {
  const Graph step = trained("RNN", 1);
  const Node& node = only(step, "RNN");
  ASSERT_EQ(node.outputs.size(), 2U);
  EXPECT_EQ(shape_of(step, node.outputs[0]), "S, 1, N, 2");
  EXPECT_EQ(only(step, "RNNGrad").inputs[5], node.outputs[0]);
}

TEST(RecurrentTraining, ReadsWhatOnnxRuntimesGradientReads) {
  const Graph step = trained("LSTM", 4);
  const Node& forward = only(step, "LSTMTraining");
  const Node& gradient = only(step, "LSTMGrad");
  // X, W, R, lengths, both initial states, all hidden and cell states, gates, gradients.
  ASSERT_EQ(gradient.inputs.size(), 11U);
  EXPECT_EQ(gradient.inputs[0], forward.inputs[0]);
  EXPECT_EQ(gradient.inputs[6], forward.outputs[0]);
  EXPECT_EQ(gradient.inputs[7], forward.outputs[3]);
  EXPECT_EQ(gradient.inputs[8], forward.outputs[4]);
  EXPECT_FALSE(gradient.inputs[9].valid());
  EXPECT_TRUE(gradient.inputs[10].valid());
  // dX is not wanted; dW, dR and dB are.
  ASSERT_EQ(gradient.outputs.size(), 4U);
  EXPECT_FALSE(gradient.outputs[0].valid());
  EXPECT_EQ(shape_of(step, gradient.outputs[3]), "1, 16");
}

}  // namespace recurrent_test
}  // namespace stashscope
