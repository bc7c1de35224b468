// Steps in micro-batches on a device.

#include <gtest/gtest.h>

#include "tests/core/run/cuda/emulation/small_step.h"
#include "tests/core/run/cuda/emulation/test_device.h"

namespace stashscope::testing_run {
namespace cuda_micro_batches_test {

NamedTensors eight_samples() {
  return {{"x", spread(ElementType::float32, {8, 6}, -2, 2)},
          {"labels", Tensor::int64s({0, 3, 1, 4, 2, 0, 1, 2})}};
}

ModelStep step_in(const std::string& count) {
  PassSelection passes;
  add_what_if("micro=" + count, passes.what_ifs);
  return {prepare_training_step(small_model(), {}, passes), eight_samples()};
}

TEST(CudaMicroBatches, HaveTheResultsOfTheWholeBatchInEveryRun) {
  const NamedTensors inputs = eight_samples();
  const NamedTensors expected = run_on_cpu(step_in("1").default_plan(), inputs).outputs;
  const cuda::CudaRunner runner(test_device(EmulatedDevice::TextCheck::none), "cuda:0", {});
  for (const char* count : {"2", "4", "8"}) {
    const RunPlan plan = step_in(count).default_plan();
    const std::unique_ptr<LoadedStep> loaded = runner.load(plan, inputs);
    for (int run = 0; run < 2; ++run) {
      SCOPED_TRACE(std::string(count) + " micro-batches, run " + std::to_string(run));
      const RunResult result = loaded->run({}, {});
      for (const auto& [name, tensor] : expected) {
        const Difference found = difference(result.outputs.at(name), tensor);
        EXPECT_LE(found.largest, 1e-5 * found.largest_value) << name;
      }
      EXPECT_EQ(result.measurement.live_bytes.size(), plan.timeline.order.size());
    }
  }
}

}  // namespace cuda_micro_batches_test
}  // namespace stashscope::testing_run
