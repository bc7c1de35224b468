// PyTorch's scaled_dot_product_attention as exports for training keep it, written step by step and
// as FusedAttention. Results and gradients are those of PyTorch on a CPU.

#include <gtest/gtest.h>

#include <limits>

#include "core/passes/infer_shapes.h"
#include "tests/core/run/models/attention_forms.h"
#include "tests/core/run/models/waves.h"

namespace stashscope {
namespace aten_attention_test {

using testing_run::ModelStep;
using testing_run::OneNode;
using testing_run::wave;
using testing_run::WaveCase;
using testing_run::WaveSums;
using testing_run::with_attention;

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

/// Queries of 4 rows, 5 keys and 5 values of 2 samples with 2 heads, and further operands.
std::vector<Tensor> qkv(std::vector<Tensor> more) {
  std::vector<Tensor> all = {wave({2, 2, 4, 3}, 0), wave({2, 2, 5, 3}, 1), wave({2, 2, 5, 3}, 2)};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

OneNode aten(const char* function, std::vector<Tensor> inputs) {
  return {.type = "ATen",
          .inputs = std::move(inputs),
          .attributes = {{"operator", std::string(function)}},
          .opset = 17,
          .domain = "org.pytorch.aten"};
}

const char* const plain_function = "scaled_dot_product_attention";
const char* const efficient = "_scaled_dot_product_efficient_attention";
const char* const flash = "_scaled_dot_product_flash_attention";
const char* const cudnn = "_scaled_dot_product_cudnn_attention";

/// Operands of numbers with axes are trained.
bool is_trained(const Tensor& tensor) {
  return is_floating(tensor.element()) && !tensor.dims().empty();
}

Graph model_of(const OneNode& node) { return graph_of(node, is_trained); }

class AtenAttention : public testing::TestWithParam<WaveCase> {};

/// The sums are those of the result and of the gradients of trained operands. The gradient of the
/// result is a wave.
TEST_P(AtenAttention, GivesPyTorchsResultsAndGradients) {
  const WaveCase& each = GetParam();
  const Graph model = infer_shapes(model_of(each.node));
  const TensorType result_type = model.value(model.data().outputs[0]).type;
  std::vector<std::int64_t> dims;
  for (const Expr& dim : *result_type.shape) dims.push_back(*dim.integer());
  const NamedTensors seeds = {{"y0_grad", wave(dims, 9)}};
  for (const char* const form : testing_run::attention_forms) {
    SCOPED_TRACE(form);
    ModelStep step(with_attention(model, form), {});
    EXPECT_EQ(step.step.what_ifs[0].changed, 1U);
    const RunResult result = testing_run::run_as_predicted(step, step.without_plans(), seeds);
    testing_run::expect_sums(result.outputs.at("y0"), each.sums[0], "result");
    std::size_t next = 1;
    for (std::size_t i = 0; i < each.node.inputs.size(); ++i) {
      if (!is_trained(each.node.inputs[i])) continue;
      const std::string name = "x" + std::to_string(i) + "_grad";
      testing_run::expect_sums(result.outputs.at(name), each.sums.at(next++), name);
    }
    EXPECT_EQ(next, each.sums.size());
  }
}

/// Of the operands of `qkv`, whether their two leading axes are one or two.
const WaveSums even_sums = {{-0.462004, -0.3609021, -0.24969, 0.4581158},
                            {0.9926249, 1.530825, 0.9302228, -1.321683},
                            {0.07761642, -0.8634678, 0.7620311, 0.6592088},
                            {-0.557176, -0.1494208, -0.1570431, 0.7460953}};

/// Without later keys, and with a scale of 0.7.
const WaveSums causal_sums = {{-1.985997, -0.6014575, 5.905391, -3.167309},
                              {2.428004, 2.022406, -2.00849, -0.7365702},
                              {-0.1026504, -1.098002, 1.400318, 0.9286548},
                              {-2.115187, -0.9777851, 0.8274979, 0.5168286}};

/// With a row that sees no key. Where numbers hide it, their gradient follows.
const WaveSums hidden_sums = {{1.121947, -1.557958, -2.782174, 1.560691},
                              {-0.4751096, -0.7802168, 3.717639, -1.33966},
                              {-0.51102, -1.981873, -0.3984031, -0.6063804},
                              {-0.784275, 0.7082996, -1.326056, 0.2828859}};

WaveSums and_of_bias(WaveSums sums, const std::vector<double>& bias) {
  sums.push_back(bias);
  return sums;
}

INSTANTIATE_TEST_SUITE_P(
    Cases, AtenAttention,
    testing::ValuesIn(std::vector<WaveCase>{
        {"plain", aten(efficient, qkv({{}, truth(true), share(0), truth(false)})), even_sums},
        {"without_batch",
         aten(plain_function, {wave({4, 4, 3}, 0), wave({4, 5, 3}, 1), wave({4, 5, 3}, 2)}),
         even_sums},
        {"flash_causal", aten(flash, qkv({share(0), truth(true), truth(false), share(0.7F)})),
         causal_sums},
        {"efficient_causal",
         aten(efficient, qkv({{}, truth(true), share(0), truth(true), share(0.7F)})), causal_sums},
        {"hidden_row", aten(plain_function, qkv({hidden_row(), share(0), truth(false)})),
         hidden_sums},
        {"infinite_bias",
         aten(efficient, qkv({infinite_bias(), truth(true), share(0), truth(false)})),
         and_of_bias(hidden_sums, {0.07602138, 0.08763132, -0.4481634, -0.01492171})},
        {"more_rows_than_keys",
         aten(plain_function, {wave({2, 2, 6, 3}, 0), wave({2, 2, 5, 3}, 1), wave({2, 2, 5, 3}, 2),
                               Tensor(), share(0), truth(true)}),
         {{-3.93236, 0.5552857, 1.418316, 1.169018},
          {1.898366, 1.043623, -1.403668, 0.3588035},
          {0.4824934, -0.2513769, 0.3894752, 0.3422505},
          {-0.2323318, 0.2702511, 0.8850094, 0.8397748}}},
        {"bias",
         aten(cudnn,
              qkv({wave({2, 1, 4, 5}, 4), truth(true), share(0), truth(false), truth(false)})),
         {{-0.4168563, -0.6660216, -1.367729, 2.05262},
          {0.5054213, 2.434426, 1.447216, -1.404389},
          {0.05500938, -1.589106, 0.6412824, 0.1973673},
          {-0.2949176, -0.7724808, -0.6924095, 0.5526295},
          {-0.3965897, 1.116331, -0.3890851, -0.001760493}}},
        {"grouped",
         aten(plain_function, {wave({2, 4, 4, 3}, 0), wave({2, 2, 5, 3}, 1), wave({2, 2, 5, 3}, 2),
                               Tensor(), share(0), truth(false), Tensor(), truth(true)}),
         {{0.5022733, -1.848079, 2.108728, 0.8331358},
          {-1.802771, 1.04609, 2.185271, -0.3328612},
          {0.5408467, 0.08035767, -0.3927906, -1.655958},
          {0.08507883, -0.150703, -2.46659, 1.412875}}}}),
    testing_run::wave_case_name);

OneNode dropping(const Tensor& dropped) {
  return aten(efficient, qkv({{}, truth(true), dropped, truth(false)}));
}

/// The elements that a dropout keeps differ from PyTorch's, but not from form to form.
TEST(AtenAttentionDropout, DropsTheSameProbabilitiesInEveryForm) {
  const Graph model = model_of(dropping(share(0.5F)));
  const NamedTensors seeds = {{"y0_grad", wave({2, 2, 4, 3}, 9)}};
  const ModelStep plain(with_attention(model, "decomposed"), {});
  const NamedTensors expected = testing_run::run_on_cpu(plain.default_plan(), seeds).outputs;
  const auto has_dropout = [](const Node& node) { return node.op_type == "Dropout"; };
  EXPECT_TRUE(std::ranges::any_of(plain.step.graph->nodes(), has_dropout));
  const ModelStep fused(with_attention(model, "flash"), {});
  const NamedTensors found = testing_run::run_on_cpu(fused.default_plan(), seeds).outputs;
  for (const char* const name : {"y0", "x0_grad", "x1_grad", "x2_grad"}) {
    const Difference apart = testing_run::difference(found.at(name), expected.at(name));
    EXPECT_LE(apart.largest, 2e-6 * apart.largest_value) << name;
  }
}

/// The reason that stops the node of a model.
std::string stop_of(const Graph& model) {
  const TrainingStep step = with_attention(model, "flash");
  EXPECT_EQ(step.what_ifs[0].stopped_by.size(), 1U);
  return step.what_ifs[0].stopped_by.empty() ? "" : step.what_ifs[0].stopped_by[0].reason;
}

TEST(AtenAttentionStops, NameSharesThatNoDropoutHas) {
  for (const float wrong : {-0.5F, 1.0F, std::numeric_limits<float>::quiet_NaN()}) {
    EXPECT_NE(stop_of(model_of(dropping(share(wrong)))).find("dropout_p"), std::string::npos)
        << wrong;
  }
}

TEST(AtenAttentionStops, NameWhatIsNotKnown) {
  OneNode unknown = dropping(share(0.5F));
  unknown.inputs[6] = {};
  GraphData data = model_of(unknown).data();
  data.inputs.push_back(data.add_value("later", {ElementType::boolean, Shape(), {}}));
  data.nodes[NodeId(0)].inputs[6] = data.inputs[0];
  EXPECT_NE(stop_of(Graph(std::move(data))).find("is_causal"), std::string::npos);
}

}  // namespace aten_attention_test
}  // namespace stashscope
