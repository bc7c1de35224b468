// Whole models without their padding, compared with the results of other programs and with the
// steps that work on all tokens.

#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "core/graph/packed_tokens.h"
#include "core/passes/graph_pass.h"
#include "core/run/cpu/execute/evaluate.h"
#include "core/run/step/random_inputs.h"
#include "expected_results.h"
#include "forward_model.h"

namespace stashscope {
namespace sparse_inputs_models_test {

namespace fs = std::filesystem;

using testing_run::difference;
using testing_run::ModelStep;

constexpr const char* masked_models[] = {"bert_tiny",
                                         "bloom_tiny_3layer",
                                         "bloom_tiny_6heads",
                                         "gpt2_tiny",
                                         "gpt2_tiny_opset17_sharednames",
                                         "llama_tiny_gqa",
                                         "llama_tiny_mha"};

PassSelection selection(bool fuses, const WhatIfChoices& what_ifs) {
  PassSelection made{{"keep_loss_only"}, ElementType::undefined, cpu_evaluator()};
  for (const GraphPass& pass : graph_passes()) {
    if (pass.among_all && fuses) made.names.emplace(pass.name);
  }
  made.what_ifs = what_ifs;
  return made;
}

/// Numbers of an integer tensor, changed.
Tensor changed(const Tensor& tensor,
               const std::function<std::int64_t(std::int64_t, std::int64_t)>& change) {
  std::vector<std::int64_t> items = *tensor.integers();
  for (std::size_t i = 0; i < items.size(); ++i) {
    items[i] = change(static_cast<std::int64_t>(i), items[i]);
  }
  return Tensor::of_integers(tensor.element(), tensor.dims(), items);
}

void expect_equal(const RunResult& result, const RunResult& expected) {
  testing_run::expect_results(result.outputs, expected.outputs, 2e-5);
}

class SparseInputsOf : public testing_run::ForwardModel {
 protected:
  Graph model() const { return load_model(folder_ / "model.onnx"); }

  ModelStep step(bool fuses, const NamedTensors& inputs, const WhatIfChoices& what_ifs) const {
    return {prepare_training_step(model(), {}, selection(fuses, what_ifs)), inputs};
  }

  /// Data in which the second sequence is padded from its third token.
  NamedTensors padded() const {
    NamedTensors inputs = tensors(0, "input_");
    const std::int64_t positions = inputs.begin()->second.dims()[1];
    const auto is_padding = [positions](std::int64_t at) { return at >= positions + 2; };
    for (auto& [name, tensor] : inputs) {
      const bool is_mask = name.ends_with("attention_mask");
      if (!is_mask && !name.ends_with("labels")) continue;
      tensor = changed(tensor, [&](std::int64_t at, std::int64_t item) {
        if (is_mask) return std::int64_t{is_padding(at) ? 0 : 1};
        return is_padding(at) ? -100 : item;
      });
    }
    return inputs;
  }
};

TEST_P(SparseInputsOf, GivesTheOraclesLossAndGradients) {
  for (const bool fuses : {false, true}) {
    for (const int set : {0, 1}) {
      SCOPED_TRACE(std::to_string(set) + (fuses ? " with passes" : ""));
      const NamedTensors inputs = tensors(set, "input_");
      ModelStep sparse = step(fuses, inputs, {{"sparse", "data"}});
      const WhatIfResult& what_if = sparse.step.what_ifs.at(0);
      ASSERT_GT(what_if.changed, 0U)
          << what_if.stopped_by.at(0).node << " " << what_if.stopped_by.at(0).reason;
      for (const bool plans : {false, true}) {
        const Dataflow dataflow = plans ? sparse.with_all_plans(false) : sparse.without_plans();
        check_gradients(set, testing_run::run_as_predicted(sparse, dataflow, inputs));
      }
    }
  }
}

TEST_P(SparseInputsOf, GivesTheResultsOfAllTokens) {
  const NamedTensors inputs = padded();
  const std::int64_t positions = inputs.begin()->second.dims()[1];
  const ModelStep whole = step(true, inputs, {});
  const RunResult expected = testing_run::run_on_cpu(whole.default_plan(), inputs);
  for (const WhatIfChoices& what_ifs :
       {WhatIfChoices{{"sparse", "data"}}, WhatIfChoices{{"sparse", "0.5"}, {"attention", "flash"}},
        WhatIfChoices{{"sparse", "data"}, {"loss", "pieces:1"}}}) {
    ModelStep sparse = step(true, inputs, what_ifs);
    const RunResult result = testing_run::run_as_predicted(sparse, sparse.without_plans(), inputs);
    EXPECT_EQ(result.measurement.data_dependent,
              (std::map<std::string, std::int64_t>{{"valid_tokens_output_dim1", positions + 2}}));
    EXPECT_LT(result.measurement.peak_bytes, expected.measurement.peak_bytes);
    expect_equal(result, expected);
  }
}

TEST_P(SparseInputsOf, GetsRandomDataWithAsManyTokensAsPredicted) {
  const NamedTensors inputs = tensors(0, "input_");
  ModelStep sparse = step(true, inputs, {{"sparse", "0.3"}});
  const Graph& graph = *sparse.step.graph;
  const auto& ids = inputs.begin()->second.dims();
  const std::int64_t tokens = expected_kept_tokens(graph, ids[0] * ids[1], sparse.bindings);
  EXPECT_EQ(tokens, (ids[0] * ids[1] * 3 + 9) / 10);
  sparse.take_sizes({{"valid_tokens_output_dim1", tokens}});
  const NamedTensors made = with_random_inputs(graph, sparse.bindings, {}, 5);
  const RunPlan plan = sparse.default_plan();
  const RunResult result = testing_run::run_on_cpu(plan, made);
  EXPECT_EQ(result.measurement.data_dependent.at("valid_tokens_output_dim1"), tokens);
  EXPECT_EQ(largest_difference(result.measurement.live_bytes, plan.timeline.live_bytes), 0);
}

INSTANTIATE_TEST_SUITE_P(Small, SparseInputsOf, testing::ValuesIn(masked_models),
                         [](const auto& info) { return std::string(info.param); });

const fs::path exported = testing_run::models / "exported";

/// Causal models without a mask, as PyTorch's exporters write them.
constexpr const char* causal_models[] = {"gpt2_dynamo",  "gpt2_script", "llama_dynamo",
                                         "llama_script", "phi3_dynamo", "phi3_script"};

class SparseInputsOfCausal : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    folder_ = exported / GetParam();
    SKIP_WITHOUT(folder_);
  }

  ModelStep step(const NamedTensors& inputs, const WhatIfChoices& what_ifs) const {
    const Graph model = load_model(folder_ / "model.onnx");
    return {prepare_training_step(model, {}, selection(true, what_ifs)), inputs};
  }

  fs::path folder_;
};

TEST_P(SparseInputsOfCausal, EndsAtTheLastLabel) {
  NamedTensors inputs = testing_run::load_tensors(folder_ / "test_data_set_0", "input_");
  const auto dims = inputs.at("labels").dims();
  for (const std::int64_t labelled : {dims[1], std::int64_t{5}}) {
    Tensor& labels = inputs.at("labels");
    labels = changed(labels, [&](std::int64_t at, std::int64_t item) {
      return at >= dims[1] && at % dims[1] >= labelled ? -100 : item;
    });
    const ModelStep whole = step(inputs, {});
    const RunResult expected = testing_run::run_on_cpu(whole.default_plan(), inputs);
    ModelStep sparse = step(inputs, {{"sparse", "data"}});
    const WhatIfResult& what_if = sparse.step.what_ifs.at(0);
    ASSERT_GT(what_if.changed, 0U)
        << what_if.stopped_by.at(0).node << " " << what_if.stopped_by.at(0).reason;
    for (const bool plans : {false, true}) {
      const Dataflow dataflow = plans ? sparse.with_all_plans(false) : sparse.without_plans();
      const RunResult result = testing_run::run_as_predicted(sparse, dataflow, inputs);
      // The label of a row is that of the next token.
      EXPECT_EQ(result.measurement.data_dependent.at("valid_tokens_output_dim1"),
                dims[1] - 1 + labelled - 1);
      expect_equal(result, expected);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Exported, SparseInputsOfCausal, testing::ValuesIn(causal_models),
                         [](const auto& info) { return std::string(info.param); });

struct Stopped {
  const char* model;
  const char* type;  ///< of the node that stops
  const char* reason;
};

constexpr const char* unhidden = "reads scores of tokens that no mask hides";
constexpr const char* unknown = "is an operator whose effect on padding is not known";

/// Encoders without a mask, and experts that are chosen for each token.
constexpr Stopped stopped[] = {
    {"bert_dynamo", "(Softmax)", unhidden}, {"bert_script", "(Softmax)", unhidden},
    {"mixtral_dynamo", "(TopK)", unknown},  {"mixtral_script", "(TopK)", unknown},
    {"t5_dynamo", "(Softmax)", unhidden},   {"t5_script", "(Softmax)", unhidden},
};

class SparseInputsAreStopped : public testing::TestWithParam<Stopped> {};

TEST_P(SparseInputsAreStopped, ByTheNodeThatNeedsAllTokens) {
  const fs::path file = exported / GetParam().model / "model.onnx";
  SKIP_WITHOUT(file);
  const TrainingStep step =
      prepare_training_step(load_model(file), {}, selection(true, {{"sparse", "data"}}));
  const WhatIfResult& what_if = step.what_ifs.at(0);
  EXPECT_EQ(what_if.changed, 0U);
  ASSERT_EQ(what_if.stopped_by.size(), 1U);
  EXPECT_TRUE(what_if.stopped_by[0].node.ends_with(GetParam().type)) << what_if.stopped_by[0].node;
  EXPECT_EQ(what_if.stopped_by[0].reason, GetParam().reason);
}

INSTANTIATE_TEST_SUITE_P(Exported, SparseInputsAreStopped, testing::ValuesIn(stopped),
                         [](const auto& info) { return std::string(info.param.model); });

}  // namespace sparse_inputs_models_test
}  // namespace stashscope
