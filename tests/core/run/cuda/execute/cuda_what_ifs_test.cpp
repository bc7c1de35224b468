// Whole training steps under what-ifs on the emulated device, compared with results of other
// programs.

#include <gtest/gtest.h>

#include "core/run/cpu/execute/evaluate.h"
#include "core/run/cuda/execute/cuda_runner.h"
#include "tests/core/run/cuda/emulation/small_step.h"
#include "tests/core/run/cuda/emulation/test_device.h"
#include "tests/core/run/models/forward_model.h"
#include "tests/support/sanitizer.h"

namespace stashscope {
namespace cuda_what_ifs_test {

using testing_run::ModelStep;

/// Models that run here: one of each kind, because the emulation is slow.
class CudaWhatIf : public testing_run::ForwardModel {
 protected:
  void SetUp() override {
    ForwardModel::SetUp();
    if (IsSkipped()) return;
    if (test::sanitized) GTEST_SKIP() << "takes too long with a sanitizer";
    set_ = tensors(1, "grad_").empty() ? 0 : 1;  // data set 1 is the smaller one
    inputs_ = tensors(set_, "input_");
  }

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
    const cuda::CudaRunner runner(testing_run::test_device(), "cuda:0", {});
    RunResult result = runner.run(plan, inputs_, {}, {});
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

  /// Without plans, and with recomputed nodes.
  void expect_oracle_under(const std::string& what_if) const {
    SCOPED_TRACE(what_if);
    const ModelStep step = step_with(what_if);
    for (const Dataflow& dataflow : {step.without_plans(), step.with_all_plans(false)}) {
      const RunResult result = run_as_predicted(step.plan(dataflow, order_strategies()[0]));
      expect_oracle(step, result);
    }
  }

  int set_ = 0;
  NamedTensors inputs_;
};

TEST_P(CudaWhatIf, LossInPiecesMakesWhatTheOracleSays) { expect_oracle_under("loss=pieces:7"); }

INSTANTIATE_TEST_SUITE_P(Files, CudaWhatIf,
                         testing::Values("bert_tiny", "gpt2_tiny", "llama_tiny_gqa"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace cuda_what_ifs_test
}  // namespace stashscope
