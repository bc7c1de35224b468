// Whole training steps on the emulated device, compared with results of other programs.

#include <gtest/gtest.h>

#include <set>

#include "tests/core/run/cuda/execute/cuda_forward_model.h"
#include "tests/support/small_models.h"

namespace stashscope {
namespace cuda_models_test {

namespace fs = std::filesystem;
using testing_run::ModelStep;
using testing_run::same_bits;

/// The models that also run in a sanitized build. There, every other model takes minutes.
const std::set<std::string> models_with_sanitizer = {"bert_tiny", "lenet", "llama_tiny_gqa",
                                                     "resnet18_div8"};

class CudaModel : public testing_run::CudaForwardModel {
 protected:
  void SetUp() override {
    CudaForwardModel::SetUp();
    if (IsSkipped()) return;
    step_.emplace(prepare_training_step(load_model(folder_ / "model.onnx"), {}), inputs_);
  }

  bool runs_sanitized() const override { return models_with_sanitizer.contains(GetParam()); }

  std::optional<ModelStep> step_;
};

/// Models without recomputable activations: ONNX Runtime's table excludes everything that their
/// backward pass reads.
const std::set<std::string> nothing_to_recompute = {"densenet_small", "lenet", "resnet18_div8",
                                                    "resnet50_div8", "squeezenet_div4"};

TEST_P(CudaModel, MakesWhatTheOracleSays) {
  const RunResult result = run(step_->default_plan());
  check_outputs(set_, result, 5e-5);
  check_gradients(set_, result);
}

TEST_P(CudaModel, RecomputedStepsMakeTheSameBits) {
  const RunResult plain = run(step_->default_plan());
  const Dataflow dataflow = step_->with_all_plans(true);
  ASSERT_EQ(dataflow.cloned_nodes.empty(), nothing_to_recompute.contains(GetParam()));
  if (dataflow.cloned_nodes.empty()) GTEST_SKIP() << "nothing of it can be recomputed";
  const RunResult recomputed = run(step_->plan(dataflow, order_strategies()[0]));
  for (const auto& [name, tensor] : plain.outputs) {
    EXPECT_TRUE(same_bits(tensor, recomputed.outputs.at(name))) << name;
  }
}

TEST_P(CudaModel, FusedGroupsMakeTheSameBits) {
  const RunResult plain = run(step_->default_plan());
  for (const char* fusion : {"dataflow", "horizontal"}) {
    const RunPlan plan =
        step_->plan(step_->without_plans(), order_strategies()[0], UpdateChoice(), fusion);
    const RunResult fused = run(plan);
    for (const auto& [name, tensor] : plain.outputs) {
      EXPECT_TRUE(same_bits(tensor, fused.outputs.at(name))) << fusion << " " << name;
    }
  }
}

/// All models with an oracle, except those that float32 cannot judge and one that takes the
/// emulation too long.
std::vector<const char*> models_to_run() {
  std::vector<const char*> models;
  std::ranges::remove_copy_if(
      testing_run::models_with_oracle, std::back_inserter(models), [](std::string_view name) {
        return name == testing_run::chaotic_in_float32 || name == "diffusion_unet_small";
      });
  return models;
}

INSTANTIATE_TEST_SUITE_P(Files, CudaModel, testing::ValuesIn(models_to_run()),
                         [](const auto& info) { return std::string(info.param); });

/// Models without results of another program; the CPU runner's results are expected.
class CudaModelWithoutOracle : public testing::TestWithParam<const char*> {};

TEST_P(CudaModelWithoutOracle, MakesWhatTheCpuMakes) {
  const fs::path folder = testing_run::models / GetParam();
  SKIP_WITHOUT(folder);
  testing_run::expect_as_on_cpu(prepare_training_step(load_model(folder / "model.onnx"), {}),
                                folder);
}

INSTANTIATE_TEST_SUITE_P(
    Files, CudaModelWithoutOracle,
    testing::Values("small/bert_tiny_dropout", "small/gpt2_tiny_dropout",
                    "small/llama_tiny_amp_bf16", "joint/bert_tiny", "joint/bloom_tiny_3layer",
                    "joint/lenet", "joint/llama_tiny_gqa", "joint/mlp_gelu", "joint/vit_tiny",
                    "ort_exec/bloom3_fp32_h128", "ort_exec/ort_mlp_gradient_graph",
                    "ort_exec/ort_mlp_training_model", "ort_exec/recompute_gelu_split",
                    "ort_exec/recompute_tile_split"),
    [](const auto& info) { return test::test_name(info.param); });

}  // namespace cuda_models_test
}  // namespace stashscope
