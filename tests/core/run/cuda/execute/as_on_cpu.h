#pragma once

// Models without results of another program: the CPU runner's are expected.

#include "core/run/cuda/execute/cuda_runner.h"
#include "core/run/step/random_inputs.h"
#include "tests/core/run/cuda/emulation/test_device.h"
#include "tests/core/run/models/model_run.h"

namespace stashscope::testing_run {

/// Relative to the largest value, in rounding units of the type in which the model computes.
inline double tolerance_of(const Graph& graph) {
  for (const Value& value : graph.data().values) {
    if (value.type.element == ElementType::bfloat16) return 0x1p-6;
  }
  return 5e-5;
}

inline RunResult run_on_test_device(const RunPlan& plan, const NamedTensors& inputs) {
  return cuda::CudaRunner(test_device(), "cuda:0", {}).run(plan, inputs, {}, {});
}

/// Expects that the emulated device makes what the CPU makes of the same random data.
/// @param folder of the model; its data set 0 gives the inputs that it has
inline void expect_as_on_cpu(const TrainingStep& trained, const fs::path& folder) {
  const Bindings dims(trained.graph->symbols().size(), 4);
  const NamedTensors inputs = with_random_inputs(
      *trained.graph, dims, load_tensors(folder / "test_data_set_0", "input_"), 1);
  const RunPlan plan = ModelStep(trained, inputs).default_plan();
  const NamedTensors expected = run_on_cpu(plan, inputs).outputs;
  const NamedTensors made = run_on_test_device(plan, inputs).outputs;
  ASSERT_EQ(made.size(), expected.size());
  for (const auto& [name, tensor] : expected) {
    const Difference found = difference(made.at(name), tensor);
    EXPECT_LE(found.largest, tolerance_of(*trained.graph) * found.largest_value + 1e-8) << name;
  }
}

}  // namespace stashscope::testing_run
