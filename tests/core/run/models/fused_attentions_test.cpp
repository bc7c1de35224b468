// Attentions in one node, written step by step and as FusedAttention. The results are those of
// ONNX's conformance models; the gradients are those of the operators' own kernels.

#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "tests/core/run/cpu/kernels/element_types.h"
#include "tests/core/run/models/attention_forms.h"
#include "tests/support/folder.h"

namespace stashscope {
namespace fused_attentions_test {

using testing_run::load_tensors;
using testing_run::ModelStep;
using testing_run::with_attention;
namespace fs = std::filesystem;

const fs::path archive = STASHSCOPE_SHARED "/models/onnx_node.tar.xz";
const std::string prefix = "test_attention_";

/// Conformance models of the operator Attention.
std::vector<fs::path> attention_models(const test::Folder& folder) {
  const std::string command = "tar -xJf '" + archive.string() + "' -C '" + folder.path().string() +
                              "' --wildcards 'onnx_node/" + prefix + "*'";
  if (std::system(command.c_str()) != 0) throw std::runtime_error("cannot unpack: " + command);
  std::vector<fs::path> models;
  for (const auto& entry : fs::directory_iterator(folder / "onnx_node")) {
    if (!entry.path().filename().string().ends_with("_expanded")) models.push_back(entry.path());
  }
  std::sort(models.begin(), models.end());
  return models;
}

bool has_attention_node(const Graph& graph, const std::string& type) {
  return std::ranges::any_of(graph.nodes(), [&](const Node& node) { return node.op_type == type; });
}

/// The model with its floating-point inputs as parameters in float64, and its other inputs as
/// constants.
Graph with_parameters(const Graph& model, const NamedTensors& inputs) {
  GraphData data = model.data();
  for (Value& value : data.values) {
    if (is_floating(value.type.element)) value.type.element = ElementType::float64;
  }
  for (const ValueId id : data.inputs) {
    const Tensor& given = inputs.at(data.values[id].name);
    const bool is_number = is_floating(given.element());
    const Tensor tensor = is_number ? testing_run::doubles(given.dims(), numbers(given)) : given;
    data.initializers.push_back({id, tensor, !is_number});
  }
  data.inputs.clear();
  for (Node& node : data.nodes) {
    if (!node.attributes.has("softmax_precision")) continue;
    node.attributes.set("softmax_precision", static_cast<std::int64_t>(ElementType::float64));
  }
  return Graph(std::move(data));
}

/// What each model becomes in a form.
class AttentionForm : public testing::TestWithParam<const char*> {
 protected:
  std::string form() const { return GetParam(); }
  bool is_plain() const { return form() == "decomposed"; }

  /// Whether the model keeps its node, because its scores are read.
  bool stops(const Graph& model) const {
    const Node& node = model.nodes()[NodeId(0)];
    return !is_plain() && node.outputs.size() > 3;
  }

  void check_change(const Graph& model, const TrainingStep& step) const {
    ASSERT_EQ(step.what_ifs.size(), 1U);
    const WhatIfResult& result = step.what_ifs[0];
    const bool stopped = stops(model);
    EXPECT_EQ(result.changed, stopped ? 0U : 1U);
    EXPECT_EQ(result.found, result.changed);
    ASSERT_EQ(result.stopped_by.size(), stopped ? 1U : 0U);
    for (const WhatIfStop& stop : result.stopped_by) {
      EXPECT_NE(stop.reason.find("scores"), std::string::npos);
    }
    EXPECT_EQ(has_attention_node(*step.graph, "Attention"), stopped);
    EXPECT_EQ(has_attention_node(*step.graph, "FusedAttention"), !stopped && !is_plain());
  }

  void check_results(const fs::path& folder) const {
    const NamedTensors inputs = load_tensors(folder / "test_data_set_0", "input_");
    const Graph model = load_model(folder / "model.onnx");
    ModelStep step(with_attention(model, form()), inputs);
    check_change(model, step.step);
    const RunResult result = testing_run::run_as_predicted(step, step.without_plans(), inputs);
    for (const auto& [name, expected] : load_tensors(folder / "test_data_set_0", "output_")) {
      ASSERT_TRUE(result.outputs.contains(name)) << name;
      const Difference found = testing_run::difference(result.outputs.at(name), expected);
      EXPECT_EQ(result.outputs.at(name).element(), expected.element()) << name;
      EXPECT_LE(found.largest, 1e-3 * found.largest_value + 1e-7) << name;
    }
  }

  /// Compares results and gradients with those of the model as it is.
  void check_gradients(const Graph& model) const {
    const ModelStep plain(with_attention(model, ""), {});
    const NamedTensors seeds = testing_run::with_seeds(plain, plain.default_plan(), {});
    const NamedTensors expected = testing_run::run_on_cpu(plain.default_plan(), seeds).outputs;
    ModelStep step(with_attention(model, form()), {});
    check_change(model, step.step);
    EXPECT_GE(step.step.parameters.size(), 3U);
    const RunResult result = testing_run::run_as_predicted(step, step.without_plans(), seeds);
    for (const auto& [name, tensor] : expected) {
      ASSERT_TRUE(result.outputs.contains(name)) << name;
      const Difference found = testing_run::difference(result.outputs.at(name), tensor);
      EXPECT_LE(found.largest, 1e-12 * std::max(found.largest_value, 0.1)) << name;
    }
  }
};

TEST_P(AttentionForm, GivesTheResultsAndGradientsOfTheConformanceModels) {
  if (!fs::exists(archive)) GTEST_SKIP() << archive << " is not there";
  const test::Folder folder;
  const std::vector<fs::path> models = attention_models(folder);
  EXPECT_GE(models.size(), 70U);
  for (const fs::path& each : models) {
    SCOPED_TRACE(each.filename().string());
    check_results(each);
    const NamedTensors inputs = load_tensors(each / "test_data_set_0", "input_");
    check_gradients(with_parameters(load_model(each / "model.onnx"), inputs));
  }
}

using testing_run::constant;
using testing_run::flags;
using testing_run::GradientCase;
using testing_run::left_out;
using testing_run::numbers_operand;
using testing_run::parameter;

/// Two heads of keys for four heads of queries, with a mask that hides a row of the first sample.
GradientCase grouped_case() {
  const Tensor mask = flags({2, 1, 3, 4}, {0, 0, 0, 0, 1, 1, 0, 1, 1, 1, 1, 1,  //
                                           1, 0, 0, 1, 1, 1, 1, 1, 0, 0, 1, 0});
  return {.name = "grouped",
          .type = "Attention",
          .operands = {parameter({2, 4, 3, 5}), parameter({2, 2, 4, 5}), parameter({2, 2, 4, 3}),
                       constant(mask)},
          .attributes = {{"softcap", 2.0F}},
          .opset = 23};
}

/// Heads in the last axis, and more rows than keys, so that numbers of keys hide rows.
GradientCase lengths_case() {
  return {.name = "lengths",
          .type = "Attention",
          .operands = {parameter({2, 4, 6}), parameter({2, 3, 6}), parameter({2, 3, 4}), left_out(),
                       left_out(), left_out(), numbers_operand({3, 2})},
          .attributes = {{"q_num_heads", std::int64_t{2}},
                         {"kv_num_heads", std::int64_t{2}},
                         {"is_causal", std::int64_t{1}},
                         {"scale", 0.7F}},
          .opset = 24};
}

/// Earlier keys, a mask that is trained and covers fewer keys, and outputs for later calls.
GradientCase cached_case() {
  return {.name = "cached",
          .type = "Attention",
          .operands = {parameter({1, 2, 3, 4}), parameter({1, 2, 3, 4}), parameter({1, 2, 3, 4}),
                       parameter({3, 4}), parameter({1, 2, 2, 4}), parameter({1, 2, 2, 4})},
          .attributes = {{"is_causal", std::int64_t{1}}},
          .opset = 24,
          .outputs = 3};
}

/// A scale of 0, which is not left out: every key counts the same.
GradientCase even_case() {
  return {.name = "even",
          .type = "Attention",
          .operands = {parameter({1, 2, 3, 4}), parameter({1, 2, 5, 4}), parameter({1, 2, 5, 4})},
          .attributes = {{"scale", 0.0F}},
          .opset = 23};
}

TEST_P(AttentionForm, TakesTheMeanOfTheValuesForAScaleOfZero) {
  const ModelStep step(with_attention(graph_of(even_case()), form()), {});
  const NamedTensors seeds = testing_run::with_seeds(step, step.default_plan(), {});
  const NamedTensors found = testing_run::run_on_cpu(step.default_plan(), seeds).outputs;
  const std::vector<double> items =
      numbers(found.at(step.step.graph->value(step.step.graph->data().outputs[0]).name));
  ASSERT_EQ(items.size(), 24U);
  for (std::size_t i = 0; i < items.size(); ++i) {
    EXPECT_NEAR(items[i], items[i % 4 + i / 12 * 12], 1e-12) << "all rows of a head are alike";
  }
}

TEST_P(AttentionForm, GivesTheResultsAndGradientsOfTheNode) {
  for (const GradientCase& each : {even_case(), grouped_case(), lengths_case(), cached_case()}) {
    SCOPED_TRACE(each.name);
    check_gradients(graph_of(each));
  }
}

INSTANTIATE_TEST_SUITE_P(Every, AttentionForm, testing::ValuesIn(testing_run::attention_forms),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace fused_attentions_test
}  // namespace stashscope
