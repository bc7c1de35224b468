// PyTorch's scaled_dot_product_attention as exports for training keep it, written step by step and
// as FusedAttention. Results and gradients are those of PyTorch on a CPU.

#include <gtest/gtest.h>

#include <limits>

#include "core/passes/infer_shapes.h"
#include "tests/core/run/models/waves.h"

namespace stashscope {
namespace aten_attention_test {

using testing_run::ModelStep;
using testing_run::wave;

/// A node ATen and what PyTorch computes: the wave_sums of its result, and of the gradients of its
/// operands of numbers with axes. The gradient of the result is a wave.
struct AtenCase {
  const char* name;
  const char* function;
  std::vector<Tensor> operands;  ///< empty tensors are left out
  std::vector<std::vector<double>> sums;
};

void PrintTo(const AtenCase& each, std::ostream* out) { *out << each.name; }

Tensor truth(bool item) { return testing_run::flags({}, {static_cast<char>(item ? 1 : 0)}); }

Tensor share(float item) { return testing_run::singles({}, {item}); }

const std::vector<char> visible = {0, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 0, 0, 0, 1, 1};

Tensor hidden_row() { return testing_run::flags({4, 5}, visible); }

Tensor infinite_bias() {
  std::vector<float> items;
  for (const char each : visible) {
    items.push_back(each != 0 ? 0 : -std::numeric_limits<float>::infinity());
  }
  return testing_run::singles({4, 5}, items);
}

bool is_trained(const Tensor& tensor) {
  return is_floating(tensor.element()) && !tensor.dims().empty();
}

/// The node with its operands of numbers as parameters x0, x1, ...
Graph model_of(const AtenCase& each) {
  GraphData data;
  data.opsets = {{"", 17}, {"org.pytorch.aten", 1}};
  Node node;
  node.name = "node";
  node.domain = "org.pytorch.aten";
  node.op_type = "ATen";
  node.attributes = {{"operator", std::string(each.function)}};
  for (const Tensor& given : each.operands) {
    const bool is_there = given.element() != ElementType::undefined;
    const std::string name = "x" + std::to_string(node.inputs.size());
    node.inputs.push_back(is_there ? data.add_initializer(name, given) : ValueId());
    if (is_there) data.initializers.back().is_literal = !is_trained(given);
  }
  node.outputs = {data.add_value("y", {})};
  data.outputs = node.outputs;
  data.nodes.push_back(std::move(node));
  return Graph(std::move(data));
}

TrainingStep in_form(const Graph& model, const std::string& form) {
  PassSelection selection;
  selection.what_ifs = {{"attention", form}};
  return prepare_training_step(model, {}, selection);
}

void expect_sums(const Tensor& tensor, const std::vector<double>& expected, const char* what) {
  const std::vector<double> found = testing_run::wave_sums(tensor);
  for (std::size_t j = 0; j < found.size(); ++j) EXPECT_NEAR(found[j], expected[j], 2e-5) << what;
}

class AtenAttention : public testing::TestWithParam<AtenCase> {};

TEST_P(AtenAttention, GivesPyTorchsResultsAndGradients) {
  const AtenCase& each = GetParam();
  const Graph model = infer_shapes(model_of(each));
  const TensorType result_type = model.value(model.data().outputs[0]).type;
  std::vector<std::int64_t> dims;
  for (const Expr& dim : *result_type.shape) dims.push_back(*dim.integer());
  const NamedTensors seeds = {{"y_grad", wave(dims, 9)}};
  for (const char* const form : {"decomposed", "recomputed", "efficient", "flash"}) {
    SCOPED_TRACE(form);
    ModelStep step(in_form(model, form), {});
    EXPECT_EQ(step.step.what_ifs[0].changed, 1U);
    const RunResult result = testing_run::run_as_predicted(step, step.without_plans(), seeds);
    expect_sums(result.outputs.at("y"), each.sums[0], "result");
    std::size_t next = 1;
    for (std::size_t i = 0; i < each.operands.size(); ++i) {
      if (!is_trained(each.operands[i])) continue;
      const std::string name = "x" + std::to_string(i) + "_grad";
      expect_sums(result.outputs.at(name), each.sums.at(next++), name.c_str());
    }
    EXPECT_EQ(next, each.sums.size());
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, AtenAttention,
                         testing::ValuesIn(std::vector<AtenCase>{
                             {"plain",
                              "_scaled_dot_product_efficient_attention",
                              {wave({2, 2, 4, 3}, 0),
                               wave({2, 2, 5, 3}, 1),
                               wave({2, 2, 5, 3}, 2),
                               {},
                               truth(true),
                               share(0),
                               truth(false)},
                              {{-0.462004, -0.3609021, -0.24969, 0.4581158},
                               {0.9926249, 1.530825, 0.9302228, -1.321683},
                               {0.07761642, -0.8634678, 0.7620311, 0.6592088},
                               {-0.557176, -0.1494208, -0.1570431, 0.7460953}}},
                             {"flash_causal",
                              "_scaled_dot_product_flash_attention",
                              {wave({2, 2, 4, 3}, 0), wave({2, 2, 5, 3}, 1), wave({2, 2, 5, 3}, 2),
                               share(0), truth(true), truth(false), share(0.7F)},
                              {{-1.985997, -0.6014575, 5.905391, -3.167309},
                               {2.428004, 2.022406, -2.00849, -0.7365702},
                               {-0.1026504, -1.098002, 1.400318, 0.9286548},
                               {-2.115187, -0.9777851, 0.8274979, 0.5168286}}},
                             {"efficient_causal",
                              "_scaled_dot_product_efficient_attention",
                              {wave({2, 2, 4, 3}, 0),
                               wave({2, 2, 5, 3}, 1),
                               wave({2, 2, 5, 3}, 2),
                               {},
                               truth(true),
                               share(0),
                               truth(true),
                               share(0.7F)},
                              {{-1.985997, -0.6014575, 5.905391, -3.167309},
                               {2.428004, 2.022406, -2.00849, -0.7365702},
                               {-0.1026504, -1.098002, 1.400318, 0.9286548},
                               {-2.115187, -0.9777851, 0.8274979, 0.5168286}}},
                             {"more_rows_than_keys",
                              "scaled_dot_product_attention",
                              {wave({2, 2, 6, 3}, 0),
                               wave({2, 2, 5, 3}, 1),
                               wave({2, 2, 5, 3}, 2),
                               {},
                               share(0),
                               truth(true)},
                              {{-3.93236, 0.5552857, 1.418316, 1.169018},
                               {1.898366, 1.043623, -1.403668, 0.3588035},
                               {0.4824934, -0.2513769, 0.3894752, 0.3422505},
                               {-0.2323318, 0.2702511, 0.8850094, 0.8397748}}},
                             {"bias",
                              "_scaled_dot_product_cudnn_attention",
                              {wave({2, 2, 4, 3}, 0), wave({2, 2, 5, 3}, 1), wave({2, 2, 5, 3}, 2),
                               wave({2, 1, 4, 5}, 4), truth(true), share(0), truth(false),
                               truth(false)},
                              {{-0.4168563, -0.6660216, -1.367729, 2.05262},
                               {0.5054213, 2.434426, 1.447216, -1.404389},
                               {0.05500938, -1.589106, 0.6412824, 0.1973673},
                               {-0.2949176, -0.7724808, -0.6924095, 0.5526295},
                               {-0.3965897, 1.116331, -0.3890851, -0.001760493}}},
                             {"hidden_row",
                              "scaled_dot_product_attention",
                              {wave({2, 2, 4, 3}, 0), wave({2, 2, 5, 3}, 1), wave({2, 2, 5, 3}, 2),
                               hidden_row(), share(0), truth(false)},
                              {{1.121947, -1.557958, -2.782174, 1.560691},
                               {-0.4751096, -0.7802168, 3.717639, -1.33966},
                               {-0.51102, -1.981873, -0.3984031, -0.6063804},
                               {-0.784275, 0.7082996, -1.326056, 0.2828859}}},
                             {"infinite_bias",
                              "_scaled_dot_product_efficient_attention",
                              {wave({2, 2, 4, 3}, 0), wave({2, 2, 5, 3}, 1), wave({2, 2, 5, 3}, 2),
                               infinite_bias(), truth(true), share(0), truth(false)},
                              {{1.121947, -1.557958, -2.782174, 1.560691},
                               {-0.4751096, -0.7802168, 3.717639, -1.33966},
                               {-0.51102, -1.981873, -0.3984031, -0.6063804},
                               {-0.784275, 0.7082996, -1.326056, 0.2828859},
                               {0.07602138, 0.08763132, -0.4481634, -0.01492171}}},
                             {"grouped",
                              "scaled_dot_product_attention",
                              {wave({2, 4, 4, 3}, 0),
                               wave({2, 2, 5, 3}, 1),
                               wave({2, 2, 5, 3}, 2),
                               {},
                               share(0),
                               truth(false),
                               {},
                               truth(true)},
                              {{0.5022733, -1.848079, 2.108728, 0.8331358},
                               {-1.802771, 1.04609, 2.185271, -0.3328612},
                               {0.5408467, 0.08035767, -0.3927906, -1.655958},
                               {0.08507883, -0.150703, -2.46659, 1.412875}}},
                             {"without_batch",
                              "scaled_dot_product_attention",
                              {wave({4, 4, 3}, 0), wave({4, 5, 3}, 1), wave({4, 5, 3}, 2)},
                              {{-0.462004, -0.3609021, -0.24969, 0.4581158},
                               {0.9926249, 1.530825, 0.9302228, -1.321683},
                               {0.07761642, -0.8634678, 0.7620311, 0.6592088},
                               {-0.557176, -0.1494208, -0.1570431, 0.7460953}}}}),
                         [](const auto& info) { return std::string(info.param.name); });

const AtenCase dropping = {"dropping",
                           "_scaled_dot_product_efficient_attention",
                           {wave({2, 2, 4, 3}, 0),
                            wave({2, 2, 5, 3}, 1),
                            wave({2, 2, 5, 3}, 2),
                            {},
                            truth(true),
                            share(0.5F),
                            truth(false)},
                           {}};

/// The elements that a dropout keeps differ from PyTorch's, but not from form to form.
TEST(AtenAttentionDropout, DropsTheSameProbabilitiesInEveryForm) {
  const Graph model = model_of(dropping);
  const NamedTensors seeds = {{"y_grad", wave({2, 2, 4, 3}, 9)}};
  const ModelStep plain(in_form(model, "decomposed"), {});
  const NamedTensors expected = testing_run::run_on_cpu(plain.default_plan(), seeds).outputs;
  const auto has_dropout = [](const Node& node) { return node.op_type == "Dropout"; };
  EXPECT_TRUE(std::ranges::any_of(plain.step.graph->nodes(), has_dropout));
  const ModelStep flash(in_form(model, "flash"), {});
  const NamedTensors found = testing_run::run_on_cpu(flash.default_plan(), seeds).outputs;
  for (const char* const name : {"y", "x0_grad", "x1_grad", "x2_grad"}) {
    const Difference apart = testing_run::difference(found.at(name), expected.at(name));
    EXPECT_LE(apart.largest, 2e-6 * apart.largest_value) << name;
  }
}

TEST(AtenAttentionStops, NameWhatIsNotKnown) {
  AtenCase unknown = dropping;
  unknown.operands[6] = {};
  GraphData data = model_of(unknown).data();
  data.inputs.push_back(data.add_value("later", {ElementType::boolean, Shape(), {}}));
  data.nodes[NodeId(0)].inputs[6] = data.inputs[0];
  const TrainingStep step = in_form(Graph(std::move(data)), "flash");
  ASSERT_EQ(step.what_ifs[0].stopped_by.size(), 1U);
  EXPECT_NE(step.what_ifs[0].stopped_by[0].reason.find("later keys"), std::string::npos);
}

}  // namespace aten_attention_test
}  // namespace stashscope
