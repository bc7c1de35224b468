// Devices that fail while a step runs.

#include <gtest/gtest.h>

#include "tests/core/run/cuda/emulation/small_step.h"
#include "tests/support/refusal.h"

namespace stashscope::testing_run {
namespace failing_device_test {

using cuda::CudaRunner;
using cuda::Pool;

/// Fails at a product. Like a real device, it refuses everything afterwards.
class BreakingDevice : public EmulatedDevice {
 public:
  explicit BreakingDevice(int products)
      : EmulatedDevice(unlimited, TextCheck::none), left_(products) {}

  void multiply(cuda::MatmulId matmul, cuda::DevicePointer a, cuda::DevicePointer b,
                cuda::DevicePointer bias, cuda::DevicePointer d,
                cuda::DevicePointer workspace) override {
    if (left_-- == 0) breaks_ = true;
    require_working();
    EmulatedDevice::multiply(matmul, a, b, bias, d, workspace);
  }
  void release(Pool pool, cuda::DevicePointer memory) override {
    EmulatedDevice::release(pool, memory);
    require_working();
  }
  void release_host(std::byte* memory) override {
    EmulatedDevice::release_host(memory);
    require_working();
  }
  void synchronize() override { require_working(); }

 private:
  void require_working() const {
    if (breaks_) fail_run("the CUDA device", "an illegal memory access was encountered");
  }

  int left_;
  bool breaks_ = false;
};

TEST(EmulatedDeviceThatBreaks, IsToldWithTheNodeThatRan) {
  const ModelStep step = small_step();
  const RunPlan plan = step.plan(step.without_plans(), order_strategies()[0]);
  for (const bool traces : {true, false}) {
    const auto device = std::make_shared<BreakingDevice>(1);
    const CudaRunner runner(device, "cuda:0", {.traces = traces});
    const std::string said =
        test::refusal(ErrorKind::run, [&] { runner.run(plan, small_inputs(), {}, {}); });
    EXPECT_TRUE(said.starts_with("node '")) << said;
    EXPECT_NE(said.find("an illegal memory access"), std::string::npos) << said;
    EXPECT_NE(said.find("CUDA_LAUNCH_BLOCKING"), std::string::npos) << said;
    EXPECT_EQ(device->used_bytes(Pool::tensors), 0);
    EXPECT_EQ(device->used_bytes(Pool::workspaces), 0);
  }
}

TEST(EmulatedDevicePools, HoldNothingOfTheStepBefore) {
  const ModelStep step = small_step();
  const RunPlan plan = step.plan(step.without_plans(), order_strategies()[0]);
  const auto device =
      std::make_shared<EmulatedDevice>(EmulatedDevice::unlimited, EmulatedDevice::TextCheck::none);
  const CudaRunner runner(device, "cuda:0", {});
  const std::int64_t alone =
      runner.run(plan, small_inputs(), {}, {}).measurement.peak_reserved_bytes;
  device->release(Pool::tensors, device->allocate(Pool::tensors, 100 * alone));
  EXPECT_GT(device->reserved_bytes(Pool::tensors), alone);
  EXPECT_EQ(runner.run(plan, small_inputs(), {}, {}).measurement.peak_reserved_bytes, alone);
}

/// Records the peak of both pools together.
class CountingDevice : public EmulatedDevice {
 public:
  CountingDevice() : EmulatedDevice(unlimited, TextCheck::none) {}

  cuda::DevicePointer allocate(Pool pool, std::int64_t bytes) override {
    cuda::DevicePointer const memory = EmulatedDevice::allocate(pool, bytes);
    most_ = std::max(most_, used_bytes(Pool::tensors) + used_bytes(Pool::workspaces));
    return memory;
  }
  std::int64_t most() const { return most_; }

 private:
  std::int64_t most_ = 0;
};

/// Memory that stays in the workspace pool throughout does not belong to the step.
TEST(EmulatedDevicePools, AreCountedTogetherWithoutATrace) {
  const ModelStep step = small_step();
  const RunPlan plan = step.plan(step.without_plans(), order_strategies()[0]);
  const auto device = std::make_shared<CountingDevice>();
  const CudaRunner runner(device, "cuda:0", {.traces = false});
  const NamedTensors inputs = small_inputs();
  const auto loaded = runner.load(plan, inputs);
  const std::int64_t throughout = device->used_bytes(Pool::workspaces);
  const Measurement measured = loaded->run({}, {}).measurement;
  EXPECT_EQ(peak_with_workspace(measured), device->most() - throughout);
  EXPECT_GT(peak_with_workspace(measured), measured.peak_bytes);
}

}  // namespace failing_device_test
}  // namespace stashscope::testing_run
