// Recurrent networks as today's PyTorch exports them, compared with its loss and gradients.

#include <gtest/gtest.h>

#include "forward_model.h"

namespace stashscope {
namespace recurrent_models_test {

using testing_run::difference;
using testing_run::load_tensors;
using testing_run::ModelStep;
namespace fs = std::filesystem;

class RecurrentModel : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    folder_ = testing_run::models / "exported" / GetParam();
    SKIP_WITHOUT(folder_);
  }

  void check(const NamedTensors& outputs, const std::string& prefix, const std::string& suffix) {
    for (const auto& [name, expected] : load_tensors(folder_ / "test_data_set_0", prefix)) {
      ASSERT_TRUE(outputs.contains(name + suffix)) << name;
      const Difference found = difference(outputs.at(name + suffix), expected);
      EXPECT_LE(found.largest, 1e-5 * found.largest_value) << name;
    }
  }

  fs::path folder_;
};

TEST_P(RecurrentModel, TrainsAsInPyTorch) {
  const Graph model = load_model(folder_ / "model.onnx");
  const NamedTensors inputs = load_tensors(folder_ / "test_data_set_0", "input_");
  const ModelStep step(prepare_training_step(model, {}), inputs);
  const RunPlan plan = step.default_plan();
  const RunResult result = testing_run::run_on_cpu(plan, inputs);
  check(result.outputs, "output_", "");
  check(result.outputs, "grad_", "_grad");
  EXPECT_EQ(largest_difference(result.measurement.live_bytes, plan.timeline.live_bytes), 0);
}

INSTANTIATE_TEST_SUITE_P(Files, RecurrentModel, testing::Values("lstm_dynamo", "lstm_script"),
                         [](const auto& info) { return info.param; });

}  // namespace recurrent_models_test
}  // namespace stashscope
