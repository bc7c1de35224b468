// The device memory of a step, to the byte; therefore on the emulated device.

#include <gtest/gtest.h>

#include <numeric>

#include "tests/core/run/cuda/emulation/small_step.h"
#include "tests/support/refusal.h"

namespace stashscope::testing_run {
namespace cuda_memory_test {

using cuda::CudaRunner;
using cuda::Pool;
using TextCheck = EmulatedDevice::TextCheck;

std::shared_ptr<EmulatedDevice> made_device(std::int64_t limit = EmulatedDevice::unlimited) {
  return std::make_shared<EmulatedDevice>(limit, TextCheck::none);
}

std::int64_t used_bytes(const EmulatedDevice& device) {
  return device.used_bytes(Pool::tensors) + device.used_bytes(Pool::workspaces);
}

void expect_empty(const EmulatedDevice& device) {
  EXPECT_EQ(device.used_bytes(Pool::tensors), 0);
  EXPECT_EQ(device.used_bytes(Pool::workspaces), 0);
  EXPECT_EQ(device.host_allocations(), 0U);
}

/// A device whose profiling library is missing.
class UntraceableDevice : public EmulatedDevice {
 public:
  UntraceableDevice() : EmulatedDevice(unlimited, TextCheck::none) {}
  std::string start_trace() override { return "the profiler is in use"; }
};

/// A device that has no page-locked memory left.
class DeviceWithoutHostMemory : public EmulatedDevice {
 public:
  DeviceWithoutHostMemory() : EmulatedDevice(unlimited, TextCheck::none) {}
  std::byte* allocate_host(std::int64_t) override { fail_run("", "no memory can be page-locked"); }
};

class EmulatedMemory : public testing::Test {
 protected:
  RunPlan plan(const UpdateChoice& update = {}, const char* fusion = "none") const {
    return step_.plan(step_.without_plans(), order_strategies()[0], update, fusion);
  }

  RunResult run(const std::shared_ptr<EmulatedDevice>& device, const RunPlan& plan,
                const RunSettings& settings = {}) const {
    const CudaRunner runner(device, "cuda:0", settings);
    RunResult result = runner.run(plan, inputs_, {}, {});
    expect_empty(*device);
    return result;
  }

  NamedTensors inputs_ = small_inputs();
  ModelStep step_ = small_step();
};

TEST_F(EmulatedMemory, IsAsPredictedButForTheRoundingOfTheAllocator) {
  const auto device = made_device();
  const Dataflow dataflows[] = {step_.without_plans(), step_.with_all_plans(false),
                                step_.with_all_of(PlanType::offload),
                                step_.with_all_of(PlanType::compress)};
  for (const Dataflow& dataflow : dataflows) {
    for (const UpdateChoice& update : {UpdateChoice(), UpdateChoice{"adam", false, true}}) {
      const RunPlan plan = step_.plan(dataflow, order_strategies()[0], update);
      const Measurement measured = run(device, plan).measurement;
      EXPECT_EQ(measured.live_bytes, rounded_bytes(plan.timeline));
      EXPECT_EQ(measured.peak_bytes, *std::ranges::max_element(measured.live_bytes));
      EXPECT_EQ(measured.device, "cuda:0");
    }
  }
}

/// The GPU makes overlapping copies one after the other, in the memory of the step with overlap.
TEST_F(EmulatedMemory, IsAsPredictedWithCopiesThatOverlap) {
  const RunResult plain = run(made_device(), plan());
  const Dataflow dataflow = step_.with_all_of(PlanType::offload);
  for (const double transfer : {0.3, 5.0}) {
    const RunPlan plan = step_.overlapped(dataflow, order_strategies()[0], transfer);
    const RunResult result = run(made_device(), plan);
    EXPECT_EQ(result.measurement.live_bytes, rounded_bytes(plan.timeline));
    for (const auto& [name, tensor] : plain.outputs) {
      EXPECT_TRUE(same_bits(tensor, result.outputs.at(name))) << name;
    }
  }
}

TEST_F(EmulatedMemory, OfWorkspacesIsThatOfTheLibraryCalls) {
  const RunPlan plan = this->plan();
  const Measurement measured = run(made_device(), plan).measurement;
  ASSERT_EQ(measured.workspace_bytes.size(), plan.timeline.order.size());
  for (std::size_t i = 0; i < measured.workspace_bytes.size(); ++i) {
    const Node& node = plan.graph->node(plan.timeline.order[i]);
    const bool multiplies = node.op_type == "MatMul" || node.op_type == "FusedMatMul";
    const std::int64_t expected = multiplies ? EmulatedDevice::library_workspace : 0;
    if (multiplies || node.op_type == "Gelu") {
      EXPECT_EQ(measured.workspace_bytes[i], expected) << node.name;
    }
  }
}

TEST_F(EmulatedMemory, IsTheSameWithoutAProfilingLibrary) {
  const RunPlan plan = step_.plan(step_.with_all_plans(false), order_strategies()[0]);
  const RunResult traced = run(made_device(), plan);
  const RunResult waited = run(std::make_shared<UntraceableDevice>(), plan);
  EXPECT_EQ(waited.measurement.live_bytes, traced.measurement.live_bytes);
  EXPECT_EQ(waited.measurement.idle_bytes, traced.measurement.idle_bytes);
  EXPECT_EQ(waited.measurement.workspace_bytes, traced.measurement.workspace_bytes);
  EXPECT_EQ(waited.measurement.node_seconds.size(), plan.timeline.order.size());
  EXPECT_TRUE(traced.measurement.remarks.empty()) << traced.measurement.remarks[0];
  ASSERT_EQ(waited.measurement.remarks.size(), 1U);
  EXPECT_EQ(waited.measurement.remarks[0], "times were taken node by node: the profiler is in use");
}

TEST_F(EmulatedMemory, HasNothingButAPeakWhereNothingIsTraced) {
  const RunPlan plan = this->plan();
  const RunResult result = run(made_device(), plan, {.wants_outputs = false, .traces = false});
  EXPECT_TRUE(result.outputs.empty());
  const std::vector<std::int64_t> expected = rounded_bytes(plan.timeline);
  EXPECT_EQ(result.measurement.peak_bytes, *std::ranges::max_element(expected));
  EXPECT_TRUE(result.measurement.live_bytes.empty());
  EXPECT_TRUE(result.measurement.node_seconds.empty());
  EXPECT_TRUE(result.measurement.workspace_bytes.empty());
  EXPECT_GT(result.measurement.step_seconds, 0);
}

/// The events give the bytes in use. After the step, only the persistent buffers and the outputs
/// remain.
TEST_F(EmulatedMemory, IsToldEventByEvent) {
  const RunPlan plan = this->plan();
  std::vector<TraceEvent> events;
  const CudaRunner runner(made_device(), "cuda:0", {});
  runner.run(plan, inputs_, [&](const TraceEvent& event) { events.push_back(event); }, {});
  std::set<std::string> alive;
  double last = 0;
  for (const TraceEvent& event : events) {
    EXPECT_GE(event.seconds, last);
    last = event.seconds;
    const bool allocates = event.kind == TraceEvent::Kind::allocate;
    const bool releases = event.kind == TraceEvent::Kind::release;
    const bool fits = allocates  ? alive.insert(event.name).second
                      : releases ? alive.erase(event.name) == 1
                                 : true;
    EXPECT_TRUE(fits) << event.name;
  }
  std::set<std::string> expected;
  for (const Buffer& buffer : plan.timeline.buffers) {
    if (buffer.persistent || buffer.returned) {
      expected.insert(name_of(*plan.graph, plan.dataflow, buffer));
    }
  }
  EXPECT_EQ(alive, expected);
}

TEST_F(EmulatedMemory, OfALoadedStepIsGivenBackAfterEachRun) {
  const auto device = made_device();
  const RunPlan plan = this->plan();
  const CudaRunner runner(device, "cuda:0", {});
  const std::unique_ptr<LoadedStep> loaded = runner.load(plan, inputs_);
  const std::int64_t persistent = used_bytes(*device);
  NamedTensors first = loaded->run({}, {}).outputs;
  EXPECT_EQ(used_bytes(*device), persistent);
  const NamedTensors second = loaded->run({}, {}).outputs;
  EXPECT_EQ(used_bytes(*device), persistent);
  for (const auto& [name, tensor] : first) EXPECT_TRUE(same_bits(tensor, second.at(name))) << name;
}

/// For every limit a step either runs or names what does not fit, and leaves nothing allocated.
TEST_F(EmulatedMemory, MayBeTooSmallForEveryAllocation) {
  const RunPlan plan = step_.plan(step_.with_all_of(PlanType::offload), order_strategies()[0]);
  const auto roomy = made_device();
  run(roomy, plan);
  const std::vector<std::int64_t> expected = rounded_bytes(plan.timeline);
  const std::int64_t most = *std::ranges::max_element(expected) + 8 * 1024;
  int refusals = 0;
  for (std::int64_t limit = 512; limit <= most; limit += 1024) {
    try {
      run(roomy, plan, {.memory_limit = limit});
    } catch (const OutOfMemory& error) {
      ++refusals;
      EXPECT_GE(error.available_bytes(), 0);
      EXPECT_LT(error.available_bytes(), limit);
    }
    expect_empty(*roomy);
  }
  EXPECT_GT(refusals, 10);
}

TEST_F(EmulatedMemory, ThatCannotEvenHoldTheInputsIsReportedBeforeAnyNode) {
  const std::string said =
      test::refusal(ErrorKind::run, [&] { run(made_device(), plan(), {.memory_limit = 512}); });
  EXPECT_EQ(said.find("loading the step: the device is out of memory: tensor '"), 0U) << said;
}

TEST_F(EmulatedMemory, ThatIsTooSmallIsReportedWithWhatIsThere) {
  const RunPlan plan = this->plan();
  const std::vector<std::int64_t> expected = rounded_bytes(plan.timeline);
  const std::int64_t limit = *std::ranges::max_element(expected) - 1024;
  const auto device = made_device();
  const CudaRunner runner(device, "cuda:0", {.memory_limit = limit});
  const std::unique_ptr<LoadedStep> loaded = runner.load(plan, inputs_);
  const std::int64_t persistent = used_bytes(*device);
  for (int repeat = 0; repeat < 2; ++repeat) {
    const std::string said = test::refusal(ErrorKind::run, [&] { loaded->run({}, {}); });
    EXPECT_EQ(used_bytes(*device), persistent);
    for (const char* part : {"node '", "the device is out of memory: tensor '", "are in use",
                             "largest: '", "the step was predicted to need "}) {
      EXPECT_NE(said.find(part), std::string::npos) << part << " in: " << said;
    }
  }
}

/// The timeline has 0 bytes for the tensors whose sizes only the run knows.
TEST_F(EmulatedMemory, ThatIsTooSmallIsReportedWithTheSizesOfTheRun) {
  test::ModelBuilder m;
  m.input("x", {1}, ElementType::int64).input("shape", {1}, ElementType::int64);
  m.node("Expand", {"x", "shape"}, {"y"}).node("Neg", {"y"}, {"z"}).output("y").output("z");
  const NamedTensors inputs = {{"x", Tensor::int64s({5})}, {"shape", Tensor::int64s({1 << 17})}};
  const ModelStep step(prepare_training_step(m.build(), {}), inputs);
  const RunPlan plan = step.default_plan();
  const auto run = [&](const RunSettings& settings) {
    return CudaRunner(made_device(), "cuda:0", settings).run(plan, inputs, {}, {});
  };
  const std::int64_t limit = run({}).measurement.peak_bytes - 1024;
  const std::string said = test::refusal(ErrorKind::run, [&] { run({.memory_limit = limit}); });
  EXPECT_NE(said.find("largest: 'y' 1.00 MiB"), std::string::npos) << said;
}

TEST_F(EmulatedMemory, IsGivenBackWhenTheHostHasNone) {
  const RunPlan plan = step_.plan(step_.with_all_of(PlanType::offload), order_strategies()[0]);
  const auto device = std::make_shared<DeviceWithoutHostMemory>();
  const CudaRunner runner(device, "cuda:0", {});
  EXPECT_THROW(runner.run(plan, inputs_, {}, {}), Error);
  expect_empty(*device);
}

TEST_F(EmulatedMemory, IsGivenBackWhenTheCallerStops) {
  const RunPlan plan = this->plan();
  const auto device = made_device();
  const CudaRunner runner(device, "cuda:0", {});
  const std::unique_ptr<LoadedStep> loaded = runner.load(plan, inputs_);
  const std::int64_t persistent = used_bytes(*device);
  const auto stop = [](const TraceEvent&) { fail_run("", "stopped"); };
  EXPECT_THROW(loaded->run(stop, {}), Error);
  EXPECT_EQ(used_bytes(*device), persistent);
}

}  // namespace cuda_memory_test
}  // namespace stashscope::testing_run
