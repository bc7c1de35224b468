// Whole training steps on the emulated device, against what other programs computed.

#include <gtest/gtest.h>

#include "../forward_model.h"
#include "core/run/cuda/cuda_runner.h"
#include "test_device.h"

namespace stashscope {
namespace {

using testing_run::ForwardModel;
using testing_run::same_bits;

class CudaModel : public ForwardModel {
 protected:
  void SetUp() override {
    ForwardModel::SetUp();
    if (IsSkipped()) return;
    set_ = tensors(1, "grad_").empty() ? 0 : 1;  // the second is the smaller one
    inputs_ = tensors(set_, "input_");
    step_.emplace(prepare_training_step(load_model(folder_ / "model.onnx"), {}), inputs_);
  }

  RunResult run(const RunPlan& plan) const {
    const cuda::CudaRunner runner(testing_run::test_device(), "cuda:0", {});
    return runner.run(plan, inputs_, {}, {});
  }

  int set_ = 0;
  NamedTensors inputs_;
  std::optional<testing_run::PreparedStep> step_;
};

TEST_P(CudaModel, MakesWhatTheOracleSays) {
  const RunResult result = run(step_->default_plan());
  check_outputs(set_, result, 5e-5);
  check_gradients(set_, result);
}

TEST_P(CudaModel, RecomputedStepsMakeTheSameBits) {
  const RunResult plain = run(step_->default_plan());
  const RunPlan plan = step_->plan(step_->with_all_plans(true), order_strategies()[0]);
  const RunResult recomputed = run(plan);
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

INSTANTIATE_TEST_SUITE_P(Files, CudaModel,
                         testing::Values("mlp_relu", "mlp_gelu", "gpt2_tiny", "bert_tiny",
                                         "bloom_tiny_3layer", "bloom_tiny_6heads", "llama_tiny_gqa",
                                         "llama_tiny_mha", "vit_tiny", "resnet18_div8",
                                         "resnet50_div8", "mobilenet_v2_w025", "densenet_small",
                                         "unet_small_bilinear"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace stashscope
