// RNN, GRU and LSTM: gradients against central differences, and results that follow from others.

#include <gmock/gmock.h>

#include "core/base/error.h"
#include "element_types.h"

namespace stashscope {
namespace recurrent_gradients_test {

using namespace testing_run;  // NOLINT: the test's own helpers
using testing::DoubleNear;
using testing::HasSubstr;
using testing::Pointwise;

constexpr std::int64_t steps = 3;
constexpr std::int64_t batch = 2;
constexpr std::int64_t input = 3;
constexpr std::int64_t hidden = 2;

class RecurrentGradient : public testing::TestWithParam<GradientCase> {};

TEST_P(RecurrentGradient, EqualsTheSlope) { check_gradients(GetParam()); }

TEST_P(RecurrentGradient, HoldsInEveryFloatingType) { check_element_types(GetParam()); }

std::int64_t gates_of(const std::string& type) { return type == "RNN" ? 1 : type == "GRU" ? 3 : 4; }

/// A case without bias, lengths and initial states.
GradientCase plain(std::string name, std::string type, Attributes attributes = {}) {
  const std::int64_t directions = attributes.text("direction", "") == "bidirectional" ? 2 : 1;
  const bool batch_first = attributes.integer("layout", 0) == 1;
  const std::int64_t rows = gates_of(type) * hidden;
  attributes.set("hidden_size", hidden);
  return {.name = std::move(name),
          .type = std::move(type),
          .operands = {parameter(batch_first ? std::vector{batch, steps, input}
                                             : std::vector{steps, batch, input}),
                       parameter({directions, rows, input}), parameter({directions, rows, hidden})},
          .attributes = std::move(attributes),
          .opset = 14};
}

/// A case with all operands but the peepholes; its outputs are all used.
GradientCase full(std::string name, std::string type, Attributes attributes = {},
                  bool has_lengths = false) {
  const bool is_lstm = type == "LSTM";
  const bool batch_first = attributes.integer("layout", 0) == 1;
  GradientCase made = plain(std::move(name), std::move(type), std::move(attributes));
  const std::int64_t directions = made.operands[1].dims[0];
  made.operands.push_back(parameter({directions, 2 * gates_of(made.type) * hidden}));
  made.operands.push_back(has_lengths ? constant(int32s({3, 1})) : left_out());
  for (int i = 0; i < (is_lstm ? 2 : 1); ++i) {
    made.operands.push_back(parameter(batch_first ? std::vector{batch, directions, hidden}
                                                  : std::vector{directions, batch, hidden}));
  }
  made.outputs = is_lstm ? 3 : 2;
  return made;
}

GradientCase with_peepholes(GradientCase made) {
  made.operands.push_back(parameter({made.operands[1].dims[0], 3 * hidden}));
  return made;
}

Attributes direction(std::string name) { return {{"direction", std::move(name)}}; }

Attributes with(Attributes attributes, std::string name, AttributeValue value) {
  attributes.set(std::move(name), std::move(value));
  return attributes;
}

const Attributes batch_first = {{"layout", std::int64_t{1}}};
const Attributes both_ways_batch_first =
    with(direction("bidirectional"), "layout", std::int64_t{1});
const Attributes linear_before_reset = {{"linear_before_reset", std::int64_t{1}}};
const Attributes coupled = {{"input_forget", std::int64_t{1}}};

Attributes activations(Strings names, Floats alphas = {}, Floats betas = {}) {
  Attributes made = {{"activations", std::move(names)}};
  if (!alphas.empty()) made.set("activation_alpha", std::move(alphas));
  if (!betas.empty()) made.set("activation_beta", std::move(betas));
  return made;
}

INSTANTIATE_TEST_SUITE_P(Rnn, RecurrentGradient,
                         testing::Values(plain("RnnPlain", "RNN"), full("RnnFull", "RNN"),
                                         full("RnnReversed", "RNN", direction("reverse")),
                                         full("RnnBothWays", "RNN", direction("bidirectional")),
                                         full("RnnBatchFirst", "RNN", both_ways_batch_first),
                                         full("RnnLengths", "RNN", direction("bidirectional"),
                                              true),
                                         full("RnnRelu", "RNN", activations({"Relu"}))),
                         case_name);

INSTANTIATE_TEST_SUITE_P(
    Gru, RecurrentGradient,
    testing::Values(plain("GruPlain", "GRU"), full("GruFull", "GRU"),
                    plain("GruLinearPlain", "GRU", linear_before_reset),
                    full("GruLinear", "GRU", linear_before_reset),
                    full("GruReversed", "GRU", direction("reverse")),
                    full("GruBothWays", "GRU", direction("bidirectional"), true),
                    full("GruBothWaysLinear", "GRU",
                         with(direction("bidirectional"), "linear_before_reset", std::int64_t{1}),
                         true),
                    full("GruBatchFirst", "GRU", both_ways_batch_first)),
    case_name);

INSTANTIATE_TEST_SUITE_P(
    Lstm, RecurrentGradient,
    testing::Values(
        plain("LstmPlain", "LSTM"), full("LstmFull", "LSTM"),
        full("LstmReversed", "LSTM", direction("reverse")),
        full("LstmBothWays", "LSTM", direction("bidirectional")),
        full("LstmLengths", "LSTM", direction("bidirectional"), true),
        full("LstmBatchFirst", "LSTM", both_ways_batch_first, true),
        full("LstmCoupled", "LSTM", coupled), with_peepholes(full("LstmPeepholes", "LSTM")),
        with_peepholes(full("LstmPeepholesCoupled", "LSTM", coupled)),
        with_peepholes(full("LstmPeepholesBothWays", "LSTM", direction("bidirectional"), true))),
    case_name);

// All activation functions, at the positions that they may take.
INSTANTIATE_TEST_SUITE_P(
    Activations, RecurrentGradient,
    testing::Values(
        full("Softsign", "LSTM",
             activations({"HardSigmoid", "Softsign", "Softplus"}, {0.3F}, {0.4F})),
        full("ScaledTanh", "LSTM",
             activations({"Sigmoid", "ScaledTanh", "Affine"}, {1.5F, 0.5F}, {0.7F, 0.1F})),
        full("Elu", "GRU", activations({"Softsign", "Elu"}, {0.8F})),
        full("LeakyRelu", "GRU", activations({"Sigmoid", "LeakyRelu"}, {0.2F})),
        full("FlatLeakyRelu", "RNN", activations({"LeakyRelu"}, {0.0F})),
        full("FlatElu", "RNN", activations({"Elu"}, {0.0F})),
        full("OtherInReverse", "RNN",
             with(activations({"Tanh", "Softplus"}), "direction", std::string("bidirectional"))),
        full("ThresholdedRelu", "RNN", activations({"ThresholdedRelu"}, {0.1F}))),
    case_name);

// Where `clip` limits a value, the slope is 0. Types are not compared, because in 16 bits `clip`
// limits other values than in 64.
TEST(RecurrentGradient, IsZeroWhereABoundHolds) {
  for (const char* type : {"RNN", "GRU", "LSTM"}) {
    SCOPED_TRACE(type);
    check_gradients(full("Clipped", type, {{"clip", 0.5F}}));
  }
}

TEST(RecurrentGradient, IsRefusedWhereTheOutputDoesNotTellTheSlope) {
  const Graph model = graph_of(full("Bent", "RNN", activations({"LeakyRelu"}, {-0.5F})));
  const TrainingStep step = prepare_training_step(model, {});
  ASSERT_EQ(step.warnings.size(), 1U);
  EXPECT_THAT(step.warnings[0], HasSubstr("activation LeakyRelu with a negative alpha"));
}

Tensor numbers_up_to(std::vector<std::int64_t> dims, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  return random_doubles(dims, -1, 1, random);
}

/// An RNN of one step that passes each number of x through the activation only.
std::vector<double> activated(const std::string& name, Floats alphas, Floats betas,
                              const std::vector<double>& x) {
  return result_of(
      {"RNN",
       {doubles({1, std::ssize(x), 1}, x), doubles({1, 1, 1}, {1}), doubles({1, 1, 1}, {0})},
       activations({name}, std::move(alphas), std::move(betas)),
       14});
}

TEST(RecurrentActivations, AreTheOperatorsOfTheirNames) {
  const std::vector<double> x = {-3, -1, -0.5, -0.01, 0, 0.01, 0.5, 1, 1.5, 3};
  const auto by_operator = [&](const std::string& type, const Attributes& attributes) {
    return result_of({type, {doubles({std::ssize(x)}, x)}, attributes});
  };
  for (const char* name : {"Relu", "Tanh", "Sigmoid", "Softsign", "Softplus", "LeakyRelu",
                           "ThresholdedRelu", "HardSigmoid", "Elu"}) {
    SCOPED_TRACE(name);
    if (std::string_view(name) != "ThresholdedRelu") {  // at x = 1, the operator differs
      EXPECT_THAT(activated(name, {}, {}, x), Pointwise(DoubleNear(1e-7), by_operator(name, {})));
    }
    const bool takes_none = std::string_view("Relu Tanh Sigmoid Softsign Softplus").find(name) !=
                            std::string_view::npos;
    if (takes_none) continue;
    Attributes given = {{"alpha", 0.3F}};
    if (std::string_view(name) == "HardSigmoid") given.set("beta", 0.4F);
    EXPECT_THAT(activated(name, {0.3F}, {0.4F}, x),
                Pointwise(DoubleNear(1e-7), by_operator(name, given)));
  }
}

TEST(RecurrentActivations, OfTwoNumbers) {
  EXPECT_NEAR(activated("Affine", {2}, {0.5F}, {1.5})[0], 3.5, 1e-12);
  EXPECT_NEAR(activated("ScaledTanh", {2}, {0.5F}, {1.5})[0], 2 * std::tanh(0.75), 1e-12);
  EXPECT_NEAR(activated("scaledtanh", {2}, {0.5F}, {1.5})[0], 2 * std::tanh(0.75), 1e-12);
}

TEST(RecurrentKernels, RunASequenceOfItsOwnLengthAlone) {
  const Tensor x = numbers_up_to({4, 2, 3}, 1);
  const Tensor w = numbers_up_to({2, 8, 3}, 2);
  const Tensor r = numbers_up_to({2, 8, 2}, 3);
  const std::vector<double> items = numbers(x);
  std::vector<double> first_steps;  // the first two steps of sequence 1
  for (const std::size_t step : {0U, 1U}) {
    for (std::size_t i = 0; i < 3; ++i) first_steps.push_back(items[step * 6 + 3 + i]);
  }
  const Attributes both = {{"direction", std::string("bidirectional")}};
  const std::vector<Tensor> together =
      run_node({"LSTM", {x, w, r, Tensor(), int32s({4, 2})}, both, 14, {}, 3});
  const std::vector<Tensor> alone =
      run_node({"LSTM", {doubles({2, 1, 3}, first_steps), w, r}, both, 14, {}, 3});
  const std::vector<double> all = numbers(together[0]);
  const std::vector<double> own = numbers(alone[0]);
  for (std::size_t step = 0; step < 4; ++step) {
    for (std::size_t way = 0; way < 2; ++way) {
      for (std::size_t i = 0; i < 2; ++i) {
        const double expected = step < 2 ? own[(step * 2 + way) * 2 + i] : 0;
        EXPECT_NEAR(all[((step * 2 + way) * 2 + 1) * 2 + i], expected, 1e-12);
      }
    }
  }
  for (const std::size_t last : {1U, 2U}) {
    const std::vector<double> states = numbers(together[last]);
    const std::vector<double> expected = numbers(alone[last]);
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_NEAR(states[i / 2 * 4 + 2 + i % 2], expected[i], 1e-12);
    }
  }
}

TEST(RecurrentKernels, RefuseLengthsThatTheDataDoNotHave) {
  for (const std::int32_t length : {-1, 5}) {
    try {
      run_node({"RNN",
                {numbers_up_to({4, 2, 3}, 1), numbers_up_to({1, 2, 3}, 2),
                 numbers_up_to({1, 2, 2}, 3), Tensor(), int32s({4, length})},
                {},
                14});
      FAIL() << "accepted";
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("sequence length " + std::to_string(length)));
    }
  }
}

}  // namespace recurrent_gradients_test
}  // namespace stashscope
