// Whole training steps with attention in one node and with their loss in pieces, on the emulated
// device.

#include <gtest/gtest.h>

#include "core/run/cpu/execute/evaluate.h"
#include "tests/core/run/cuda/emulation/small_step.h"
#include "tests/core/run/cuda/execute/cuda_forward_model.h"
#include "tests/core/run/models/attention_forms.h"
#include "tests/core/run/models/expected_results.h"
#include "tests/support/sanitizer.h"

namespace stashscope {
namespace cuda_what_ifs_test {

namespace fs = std::filesystem;
using testing_run::ModelStep;

/// Models that run here: one of each kind, because the emulation is slow.
class CudaWhatIf : public testing_run::CudaForwardModel {
 protected:
  ModelStep step_with(const std::string& what_if) const {
    PassSelection selection{{"keep_loss_only"}, ElementType::undefined, cpu_evaluator()};
    add_what_if(what_if, selection.what_ifs);
    const Graph model = load_model(folder_ / "model.onnx");
    ModelStep step(prepare_training_step(model, {}, selection), inputs_);
    EXPECT_GE(step.step.what_ifs.at(0).changed, 1U);
    return step;
  }

  /// Runs the step, and expects the memory that is predicted, but for the rounding of the
  /// allocator.
  RunResult run_as_predicted(const RunPlan& plan) const {
    RunResult result = run(plan);
    EXPECT_EQ(result.measurement.live_bytes, testing_run::rounded_bytes(plan.timeline));
    return result;
  }

  void expect_oracle(const ModelStep& step, const RunResult& result) const {
    const ValueId loss = step.step.graph->data().outputs[0];
    const std::string& name = step.step.graph->value(loss).name;
    const Tensor expected = tensors(set_, "output_").at(name);
    const Difference found = testing_run::difference(result.outputs.at(name), expected);
    EXPECT_LE(found.largest, 5e-5 * found.largest_value) << name;
    check_gradients(set_, result);
  }

  /// Also expects the same bits with recomputed nodes.
  void expect_oracle_under(const std::string& what_if) const {
    SCOPED_TRACE(what_if);
    const ModelStep step = step_with(what_if);
    const auto run_with = [&](const Dataflow& dataflow) {
      return run_as_predicted(step.plan(dataflow, order_strategies()[0]));
    };
    const RunResult plain = run_with(step.without_plans());
    expect_oracle(step, plain);
    const RunResult recomputed = run_with(step.with_all_plans(false));
    for (const auto& [name, tensor] : plain.outputs) {
      EXPECT_TRUE(testing_run::same_bits(tensor, recomputed.outputs.at(name))) << name;
    }
  }
};

class CudaLossInPieces : public CudaWhatIf {};

TEST_P(CudaLossInPieces, MakesWhatTheOracleSays) { expect_oracle_under("loss=pieces:7"); }

INSTANTIATE_TEST_SUITE_P(Files, CudaLossInPieces,
                         testing::Values("bert_tiny", "gpt2_tiny", "llama_tiny_gqa"),
                         [](const auto& info) { return std::string(info.param); });

class CudaAttentionForm : public CudaWhatIf {};

TEST_P(CudaAttentionForm, MakesWhatTheOracleSays) {
  for (const char* form : {"recomputed", "efficient", "flash"}) {
    expect_oracle_under("attention=" + std::string(form));
  }
}

INSTANTIATE_TEST_SUITE_P(Files, CudaAttentionForm,
                         testing::Values("bert_tiny", "bloom_tiny_3layer", "gpt2_tiny",
                                         "llama_tiny_gqa", "vit_tiny"),
                         [](const auto& info) { return std::string(info.param); });

/// Models without results of another program, whose dropouts draw by position; the CPU runner's
/// results are expected.
class CudaAttentionWithoutOracle : public testing::TestWithParam<const char*> {};

TEST_P(CudaAttentionWithoutOracle, MakesWhatTheCpuMakes) {
  const fs::path folder = testing_run::models / "small" / GetParam();
  SKIP_WITHOUT(folder);
  if (test::sanitized) GTEST_SKIP() << "takes too long with a sanitizer";
  const Graph model = load_model(folder / "model.onnx");
  const TrainingStep trained = testing_run::with_attention(model, "flash");
  EXPECT_GE(trained.what_ifs.at(0).changed, 1U);
  testing_run::expect_as_on_cpu(trained, folder);
}

INSTANTIATE_TEST_SUITE_P(Files, CudaAttentionWithoutOracle,
                         testing::Values("bert_tiny_dropout", "gpt2_tiny_dropout",
                                         "llama_tiny_amp_bf16"),
                         [](const auto& info) { return std::string(info.param); });

/// Relative positions and windows, whose tables are trained, and grouped heads, as PyTorch exports
/// them, with PyTorch's results.
class CudaExportedAttention : public testing::TestWithParam<const char*> {
 protected:
  static NamedTensors tensors(const std::string& prefix) {
    return testing_run::load_tensors(
        testing_run::models / "exported" / GetParam() / "test_data_set_0", prefix);
  }
};

TEST_P(CudaExportedAttention, TrainsAsInPyTorch) {
  const fs::path folder = testing_run::models / "exported" / GetParam();
  SKIP_WITHOUT(folder);
  if (test::sanitized) GTEST_SKIP() << "takes too long with a sanitizer";
  const NamedTensors inputs = tensors("input_");
  const ModelStep step(testing_run::with_attention(load_model(folder / "model.onnx"), "flash"),
                       inputs);
  EXPECT_GE(step.step.what_ifs.at(0).changed, 1U);
  const RunPlan plan = step.default_plan();
  const RunResult result = testing_run::run_on_test_device(plan, inputs);
  EXPECT_EQ(result.measurement.live_bytes, testing_run::rounded_bytes(plan.timeline));
  testing_run::expect_results(result.outputs, tensors("output_"), 1e-5);
  testing_run::expect_results(result.outputs, tensors("grad_"), 1e-5, "_grad");
}

INSTANTIATE_TEST_SUITE_P(Files, CudaExportedAttention,
                         testing::Values("nn_transformer_script", "phi3_dynamo", "swin_script",
                                         "t5_script"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace cuda_what_ifs_test
}  // namespace stashscope
