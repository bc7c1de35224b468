#include "emulated_device.h"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

#include "core/base/error.h"
#include "core/run/cuda/codegen/kernel_library.h"
#include "kernel_cases.h"

namespace stashscope::testing_run {
namespace emulated_device_test {

using cuda::DevicePointer;
using cuda::Pool;

constexpr const char* kernels = R"(
extern "C" __global__ void __launch_bounds__(64) add_index(float* x) {
  x[thread_index()] += float(thread_index());
}
extern "C" __global__ void __launch_bounds__(128) sums(const float* x, float* y) {
  const float sum = group_merge<128>(x[thread_index()], Plus());
  const float greatest = group_merge<128>(x[thread_index()], Greatest());
  y[2 * thread_index()] = sum;
  y[2 * thread_index() + 1] = greatest;
}
extern "C" __global__ void reversed(const int* x, int* y) {
  __shared__ int items[48];
  items[threadIdx.x] = x[thread_index()];
  __syncthreads();
  y[thread_index()] = items[47 - threadIdx.x];
}
extern "C" __global__ void lanes(int* y) {
  const int lane = int(threadIdx.x);
  y[lane] = __shfl_up_sync(0xFFFFFFFFU, lane, 1) + 100 * __shfl_sync(0xFFFFFFFFU, lane, 7);
  y[lane] += 10000 * __shfl_xor_sync(0xFFFFFFFFU, lane, 3);
}
extern "C" __global__ void half_waits(int*) {
  if (threadIdx.x < 16) __syncthreads();
}
extern "C" __global__ void writes_behind(char* x) { x[threadIdx.x] = 1; }
)";

class EmulatedDeviceTest : public ::testing::Test {
 protected:
  void compile() {
    ids_ =
        device_.compile(cuda::kernel_library() + kernels,
                        {"add_index", "sums", "reversed", "lanes", "half_waits", "writes_behind"});
  }
  template <class T>
  DevicePointer upload(const std::vector<T>& items) {
    const auto bytes = static_cast<std::int64_t>(items.size() * sizeof(T));
    const DevicePointer memory = device_.allocate(Pool::tensors, bytes);
    device_.copy(memory, reinterpret_cast<const std::byte*>(items.data()), bytes);
    return memory;
  }
  template <class T>
  std::vector<T> download(DevicePointer memory, std::size_t count) {
    std::vector<T> items(count);
    device_.copy(reinterpret_cast<std::byte*>(items.data()), memory,
                 static_cast<std::int64_t>(count * sizeof(T)));
    return items;
  }
  void launch(std::size_t kernel, cuda::LaunchShape shape, std::vector<DevicePointer> operands) {
    device_.launch(ids_[kernel], shape, operands);
  }

  EmulatedDevice device_;
  std::vector<cuda::KernelId> ids_;
};

TEST_F(EmulatedDeviceTest, RunsThreadsAndBarriers) {
  compile();
  std::vector<float> items(256);
  for (std::size_t i = 0; i < items.size(); ++i) items[i] = static_cast<float>(i % 7);
  const DevicePointer x = upload(items);
  launch(0, {4, 64}, {x});
  std::vector<float> expected = items;
  for (std::size_t i = 0; i < items.size(); ++i) expected[i] += static_cast<float>(i);
  EXPECT_EQ(download<float>(x, 256), expected);

  const DevicePointer y = upload(std::vector<float>(512));
  launch(1, {2, 128}, {x, y});
  const std::vector<float> sums = download<float>(y, 512);
  for (std::size_t i = 0; i < 256; ++i) {
    const auto start = expected.begin() + (i < 128 ? 0 : 128);
    EXPECT_EQ(sums[2 * i], std::accumulate(start, start + 128, 0.0F));
    EXPECT_EQ(sums[2 * i + 1], *std::max_element(start, start + 128));
  }

  std::vector<int> numbers(96);
  std::iota(numbers.begin(), numbers.end(), 0);
  const DevicePointer reversed = upload(std::vector<int>(96));
  launch(2, {2, 48}, {upload(numbers), reversed});
  const std::vector<int> backwards = download<int>(reversed, 96);
  for (int i = 0; i < 96; ++i) {
    EXPECT_EQ(backwards[static_cast<std::size_t>(i)], i < 48 ? 47 - i : 143 - i);
  }
}

TEST_F(EmulatedDeviceTest, ExchangesWithinAWarp) {
  compile();
  const DevicePointer y = upload(std::vector<int>(32));
  launch(3, {1, 32}, {y});
  const std::vector<int> lanes = download<int>(y, 32);
  for (int i = 0; i < 32; ++i) {
    const int expected = std::max(i - 1, 0) + 100 * 7 + 10000 * (i ^ 3);
    EXPECT_EQ(lanes[static_cast<std::size_t>(i)], expected);
  }
}

TEST_F(EmulatedDeviceTest, RefusesWhatADeviceDoesNot) {
  compile();
  const DevicePointer x = upload(std::vector<char>(40));
  EXPECT_THROW(launch(4, {1, 32}, {x}), Error);
  EXPECT_THROW(launch(4, {1, 32}, {}), Error);
  EXPECT_THROW(launch(4, {1, 1025}, {x}), Error);
  std::byte host{};
  EXPECT_THROW(launch(4, {1, 16}, {&host}), Error);
  launch(5, {1, 41}, {x});
  EXPECT_THROW(device_.release(Pool::tensors, x), Error);
  EXPECT_THROW(device_.release(Pool::workspaces, x), Error);
  EXPECT_THROW(device_.compile("no kernel", {}), Error);
}

TEST_F(EmulatedDeviceTest, CountsMemory) {
  EmulatedDevice small(1024);
  const DevicePointer a = small.allocate(Pool::tensors, 1);
  const DevicePointer b = small.allocate(Pool::workspaces, 512);
  ASSERT_NE(b, nullptr);
  EXPECT_EQ(small.allocate(Pool::tensors, 1), nullptr);
  EXPECT_EQ(small.used_bytes(Pool::tensors), 512);
  EXPECT_EQ(*a, std::byte{EmulatedDevice::poison});
  small.release(Pool::tensors, a);
  EXPECT_EQ(small.used_bytes(Pool::tensors), 0);
  EXPECT_EQ(small.reserved_bytes(Pool::tensors), 512);
  small.trim(Pool::tensors);
  EXPECT_EQ(small.reserved_bytes(Pool::tensors), 0);
  EXPECT_EQ(small.reserved_bytes(Pool::workspaces), 512);
}

TEST_F(EmulatedDeviceTest, TellsWhatItDid) {
  compile();
  device_.start_trace();
  device_.begin_step(7);
  const DevicePointer x = device_.allocate(Pool::tensors, 768);
  launch(0, {1, 64}, {x});
  device_.begin_step(8);
  device_.release(Pool::tensors, x);
  const cuda::TraceRecords records = device_.stop_trace();
  ASSERT_EQ(records.memory.size(), 2U);
  EXPECT_EQ(records.memory[0].pool_used, 1024);
  EXPECT_EQ(records.memory[1].pool_used, 0);
  EXPECT_LT(records.memory[0].time, records.memory[1].time);
  ASSERT_EQ(records.kernels.size(), 1U);
  EXPECT_EQ(records.kernels[0].name, "add_index");
  EXPECT_EQ(records.kernels[0].end - records.kernels[0].start, EmulatedDevice::kernel_nanoseconds);
  ASSERT_EQ(records.steps.size(), 3U);
  EXPECT_EQ(records.steps[2].step, 8U);
  EXPECT_EQ(records.steps[2].correlation, records.memory[1].correlation);
  EXPECT_EQ(records.steps[1].correlation, records.kernels[0].correlation);
}

TEST(KernelCases, RunOnBothSides) {
  const cuda::CudaKernel relu = {.lower = [](const cuda::LoweringContext& context) {
    const std::int64_t elements = context.out().elements();
    cuda::Lowered lowered;
    const cuda::Operand between = lowered.add_scratch(context.out().bytes());
    lowered.add(cuda::CopyCall{cuda::input(0), between, context.out().bytes()});
    lowered.add(cuda::KernelCall{
        "(const float* x, float* y) { y[thread_index()] = x[thread_index()] < 0 ? 0 : "
        "x[thread_index()]; }",
        {1, static_cast<int>(elements)},
        {between, cuda::output()}});
    return lowered;
  }};
  const OneNode node = {"Relu", {singles({-1, 2, -3, 4, 5})}};
  expect_as_on_cpu({{.node = node, .kernel = &relu},
                    {.node = node, .in_place = InPlace{0, 0}, .kernel = &relu}});
}

}  // namespace emulated_device_test
}  // namespace stashscope::testing_run
