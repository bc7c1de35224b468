// With any choices, steps on devices give the CPU runner's results. What cannot run is refused
// before anything is allocated.

#include <gtest/gtest.h>

#include <array>

#include "core/passes/graph_pass.h"
#include "core/run/cpu/execute/evaluate.h"
#include "core/run/step/random_inputs.h"
#include "tests/core/run/cuda/emulation/kernel_cases.h"
#include "tests/core/run/cuda/emulation/small_step.h"
#include "tests/core/run/cuda/emulation/test_device.h"
#include "tests/support/refusal.h"

namespace stashscope::testing_run {
namespace cuda_step_test {

PassSelection every_pass(ElementType precision) {
  PassSelection selection{{}, precision, cpu_evaluator()};
  for (const GraphPass& pass : graph_passes()) selection.names.emplace(pass.name);
  return selection;
}

RunResult run_on(const std::shared_ptr<cuda::Device>& device, const RunPlan& plan,
                 const NamedTensors& inputs) {
  return cuda::CudaRunner(device, "cuda:0", {}).run(plan, inputs, {}, {});
}

void expect_near_cpu(const RunPlan& plan, const NamedTensors& inputs, double tolerance,
                     const std::shared_ptr<cuda::Device>& device) {
  const std::int64_t before = device->used_bytes(cuda::Pool::tensors);
  const NamedTensors expected = run_on_cpu(plan, inputs).outputs;
  const NamedTensors made = run_on(device, plan, inputs).outputs;
  ASSERT_EQ(made.size(), expected.size());
  for (const auto& [name, tensor] : expected) {
    const Difference found = difference(made.at(name), tensor);
    EXPECT_LE(found.largest, tolerance * found.largest_value) << name;
  }
  EXPECT_EQ(device->used_bytes(cuda::Pool::tensors), before);
}

class CudaStep : public testing::Test {
 protected:
  std::shared_ptr<cuda::Device> device_ = test_device(EmulatedDevice::TextCheck::none);
  NamedTensors inputs_ = small_inputs();
};

TEST_F(CudaStep, MakesWhatTheCpuMakesInEveryOrderAndStrategy) {
  const ModelStep step = small_step();
  for (const PlanType type : {PlanType::none, PlanType::offload, PlanType::compress}) {
    const Dataflow dataflow =
        type == PlanType::none ? step.with_all_plans(true) : step.with_all_of(type);
    EXPECT_GT(dataflow.cloned_nodes.size(), 0U);
    // A different rounding of the device's functions may compress to the next 16-bit number.
    const double tolerance = type == PlanType::compress && tests_run_on_gpu() ? 0x1p-10 : 2e-5;
    for (const char* order : {"file", "reference", "reverse-depth-first", "bytes-freed"}) {
      SCOPED_TRACE(order);
      expect_near_cpu(step.plan(dataflow, find_order(order)), inputs_, tolerance, device_);
    }
  }
}

TEST_F(CudaStep, MakesWhatTheCpuMakesWithEveryPass) {
  const ModelStep step = small_step(every_pass(ElementType::undefined));
  expect_near_cpu(step.default_plan(), inputs_, 2e-5, device_);
}

/// Products of 16-bit types are summed in another order before rounding, so some results differ by
/// a rounding unit (2^-11, 2^-8); the gradients inherit a few of these.
TEST_F(CudaStep, IsNearTheCpuInMixedPrecision) {
  for (const ElementType half : {ElementType::float16, ElementType::bfloat16}) {
    SCOPED_TRACE(name_of(half));
    const double tolerance = half == ElementType::float16 ? 0x1p-9 : 0x1p-6;
    const ModelStep step = small_step(every_pass(half));
    expect_near_cpu(step.default_plan(), inputs_, tolerance, device_);
    expect_near_cpu(step.plan(step.with_all_plans(true), order_strategies()[0]), inputs_, tolerance,
                    device_);
  }
}

/// Random numbers are equal everywhere, so recomputed steps and the CPU agree.
TEST_F(CudaStep, DropsWhatTheCpuDrops) {
  test::ModelBuilder m;
  m.input("x", {"N", 6});
  m.constant("w", spread(ElementType::float32, {6, 40}, -0.5, 0.5));
  m.constant("ratio", spread(ElementType::float32, {}, 0.3, 0.3));
  m.constant("training", Tensor(ElementType::boolean, {}, std::string(1, '\1')));
  m.node("MatMul", {"x", "w"}, {"h"}).node("Relu", {"h"}, {"r"});
  m.node("Dropout", {"r", "ratio", "training"}, {"d"}).node("Tanh", {"d"}, {"t"});
  m.node("ReduceMean", {"t"}, {"loss"}, {{"keepdims", std::int64_t{0}}});
  inputs_.erase("labels");
  const ModelStep step(prepare_training_step(m.output("loss").build(), {}), inputs_);
  expect_near_cpu(step.default_plan(), inputs_, 2e-6, device_);
  expect_near_cpu(step.plan(step.with_all_plans(true), order_strategies()[0]), inputs_, 2e-6,
                  device_);
}

class CudaSample : public testing::TestWithParam<const char*> {};

TEST_P(CudaSample, MakesWhatTheCpuMakes) {
  const Graph model = load_model(fs::path(STASHSCOPE_SAMPLES) / GetParam());
  const TrainingStep trained = prepare_training_step(model, {});
  const Bindings dims(trained.graph->symbols().size(), 3);
  const NamedTensors inputs = with_random_inputs(*trained.graph, dims, {}, 1);
  const ModelStep step(trained, inputs);
  expect_near_cpu(step.default_plan(), inputs, 5e-5, test_device());
}

INSTANTIATE_TEST_SUITE_P(Files, CudaSample,
                         testing::Values("lenet.onnx", "mlp_gelu.onnx", "gpt2_tiny.onnx"),
                         [](const auto& info) { return fs::path(info.param).stem().string(); });

/// The CUDA runner's error for a model that it refuses. It must not allocate anything.
std::string said_of(const Graph& model, const NamedTensors& inputs,
                    const std::shared_ptr<cuda::Device>& device, ErrorKind kind) {
  constexpr std::array pools = {cuda::Pool::tensors, cuda::Pool::workspaces};
  for (const cuda::Pool pool : pools) device->take_peak_used_bytes(pool);
  const std::string said = test::refusal(kind, [&] {
    const ModelStep step(prepare_training_step(model, {}), inputs);
    run_on(device, step.default_plan(), inputs);
  });
  for (const cuda::Pool pool : pools) {
    EXPECT_EQ(device->take_peak_used_bytes(pool), device->used_bytes(pool));
  }
  return said;
}

TEST_F(CudaStep, RefusesUnknownOperatorsByName) {
  test::ModelBuilder m;
  m.input("x", {7, 6}).node("Mystery", {"x"}, {"m"}, {}, "example").declare("m", {7, 6});
  m.node("Neg", {"m"}, {"n"}).node("Riddle", {"n"}, {"y"}, {}, "example").declare("y", {7, 6});
  const std::string said = said_of(m.output("y").build(), inputs_, device_, ErrorKind::input);
  for (const char* part : {"the CUDA runner", "example.Mystery", "example.Riddle"}) {
    EXPECT_NE(said.find(part), std::string::npos) << part << " in: " << said;
  }
}

TEST_F(CudaStep, RefusesShapesThatDependOnData) {
  test::ModelBuilder m;
  m.input("x", {7, 6})
      .node("NonZero", {"x"}, {"places"})
      .node("Cast", {"places"}, {"y"}, {{"to", std::int64_t{1}}});
  const std::string said = said_of(m.output("y").build(), inputs_, device_, ErrorKind::input);
  EXPECT_NE(said.find("NonZero"), std::string::npos) << said;
}

/// y = w repeated as given by `shape`.
Graph repeated_as_told(test::ModelBuilder& m) {
  m.constant("w", spread(ElementType::float32, {1}, 1, 1));
  m.node("Exp", {"w"}, {"e"}).node("Expand", {"e", "shape"}, {"y"}).node("Neg", {"y"}, {"z"});
  return m.output("z").build();
}

TEST_F(CudaStep, HasSizesThatDependOnItsInputs) {
  test::ModelBuilder m;
  m.input("shape", {1}, ElementType::int64);
  const NamedTensors inputs = {{"shape", Tensor::int64s({700})}};
  ModelStep step(prepare_training_step(repeated_as_told(m), {}), inputs);
  const RunPlan plan = step.default_plan();
  const RunResult expected = run_on_cpu(plan, inputs);
  const RunResult made = run_on(device_, plan, inputs);
  EXPECT_EQ(made.measurement.data_dependent, expected.measurement.data_dependent);
  EXPECT_EQ(made.measurement.data_dependent.size(), 1U);
  step.take_sizes(made.measurement.data_dependent);
  EXPECT_EQ(made.measurement.live_bytes, rounded_bytes(step.default_plan().timeline));
  EXPECT_EQ(difference(made.outputs.at("z"), expected.outputs.at("z")).largest, 0);
}

}  // namespace cuda_step_test
}  // namespace stashscope::testing_run
