// The contract of Device, on the emulated device and, if the environment names one, on a real one.

#include "core/run/cuda/device/device.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <set>

#include "core/run/cuda/codegen/kernel_library.h"
#include "tests/core/run/cuda/emulation/kernel_cases.h"
#include "tests/core/run/cuda/emulation/recorded_trace.h"
#include "tests/core/run/cuda/emulation/reference_products.h"
#include "tests/core/run/cuda/emulation/test_device.h"

namespace stashscope::testing_run {
namespace device_test {

using cuda::ConvolutionShape;
using cuda::Device;
using cuda::DevicePointer;
using cuda::HostEvent;
using cuda::MatmulShape;
using cuda::Pool;
using Addend = MatmulShape::Addend;
using Pass = ConvolutionShape::Pass;

constexpr ElementType all_floats[] = {ElementType::float32, ElementType::float16,
                                      ElementType::bfloat16, ElementType::float64};

/// Random elements at some distance from the start of an allocation.
class Operand {
 public:
  Operand(Device& device, ElementType element, std::int64_t bytes, std::int64_t shift, double mean)
      : tensor_(random_tensor(element, {shift + bytes * 8 / bits_per_element(element)}, mean)),
        shift_(packed_bytes(element, shift)),
        bytes_(tensor_.load().bytes.begin(), tensor_.load().bytes.end()),
        on_device_(device, tensor_) {}

  std::byte* on_host() { return bytes_.data() + shift_; }
  DevicePointer on_device() const { return on_device_.data() + shift_; }
  void expect_same(double tolerance) const {
    const std::string raw(reinterpret_cast<const char*>(bytes_.data()), bytes_.size());
    expect_near(on_device_.read(), {tensor_.element(), tensor_.dims(), raw}, tolerance);
  }

 private:
  Tensor tensor_;
  std::int64_t shift_;
  std::vector<std::byte> bytes_;
  DeviceTensor on_device_;
};

template <class Body>
void with_workspace(Device& device, std::int64_t bytes, Body body) {
  DevicePointer const workspace = device.allocate(Pool::workspaces, bytes);
  body(workspace);
  device.release(Pool::workspaces, workspace);
}

/// @param shift distance of all operands from full alignment, in elements
void expect_product(Device& device, const MatmulShape& shape, std::int64_t shift) {
  Operand a(device, shape.element, bytes_of_a(shape), shift, 0);
  Operand b(device, shape.element, bytes_of_b(shape), shift, 0.25);
  Operand bias(device, shape.element, packed_bytes(shape.element, shape.columns), shift, 1);
  Operand d(device, shape.element, bytes_of_d(shape), shift, -1);
  const bool biased = shape.addend == Addend::bias;
  reference_multiply(shape, a.on_host(), b.on_host(), biased ? bias.on_host() : nullptr,
                     d.on_host());
  const cuda::MatmulId id = device.prepare(shape);
  with_workspace(device, device.workspace_bytes(id), [&](DevicePointer workspace) {
    device.multiply(id, a.on_device(), b.on_device(), biased ? bias.on_device() : nullptr,
                    d.on_device(), workspace);
  });
  d.expect_same(order_tolerance(shape.element));
}

std::string words_of(const MatmulShape& shape, std::int64_t shift) {
  return std::string(name_of(shape.element)) + " " + std::to_string(shape.rows) + " x " +
         std::to_string(shape.inner) + " x " + std::to_string(shape.columns) + ", transposed " +
         std::to_string(shape.transpose_a) + std::to_string(shape.transpose_b) + ", addend " +
         std::to_string(static_cast<int>(shape.addend)) + ", batch " + std::to_string(shape.batch) +
         ", shifted by " + std::to_string(shift);
}

/// Checks the shape with all transpositions, at aligned and at odd addresses.
void expect_products(Device& device, MatmulShape shape) {
  for (const int turns : {0, 1, 2, 3}) {
    shape.transpose_a = turns % 2 == 1;
    shape.transpose_b = turns / 2 == 1;
    for (const std::int64_t shift : {0, 1}) {
      SCOPED_TRACE(words_of(shape, shift));
      expect_product(device, shape, shift);
    }
  }
}

TEST(DeviceOfTests, MultipliesMatrices) {
  const auto device = test_device();
  for (const ElementType element : all_floats) {
    for (const Addend addend : {Addend::none, Addend::bias, Addend::own}) {
      if (addend == Addend::bias && element == ElementType::float64) continue;  // never requested
      for (const auto& [rows, columns, inner] : {std::array{8, 16, 32}, std::array{5, 3, 7},
                                                 std::array{1, 9, 4}, std::array{33, 1, 17}}) {
        expect_products(*device, {.element = element,
                                  .rows = rows,
                                  .columns = columns,
                                  .inner = inner,
                                  .alpha = 0.5F,
                                  .addend = addend});
      }
    }
  }
}

TEST(DeviceOfTests, MultipliesStacksOfMatrices) {
  const auto device = test_device();
  for (const ElementType element : all_floats) {
    for (const bool same_b : {false, true}) {
      expect_products(*device, {.element = element,
                                .rows = 6,
                                .columns = 5,
                                .inner = 8,
                                .batch = 3,
                                .stride_a = 2 * 6 * 8,
                                .stride_b = same_b ? 0 : 8 * 5,
                                .stride_d = 6 * 5});
    }
  }
}

TEST(DeviceOfTests, MultipliesWithoutInnerElements) {
  const auto device = test_device();
  for (const Addend addend : {Addend::none, Addend::bias, Addend::own}) {
    expect_product(*device, {.rows = 5, .columns = 3, .inner = 0, .addend = addend}, 0);
  }
}

ConvolutionShape convolution(std::int64_t groups, std::int64_t stride, std::int64_t dilation) {
  ConvolutionShape shape;
  shape.input = {2, 2 * groups, 11, 9};
  shape.filter = {3 * groups, 2, 3, 2};
  shape.pads = {2, 1};
  shape.strides = {stride, 1};
  shape.dilations = {dilation, 1};
  shape.groups = groups;
  shape.output = {2, 3 * groups, (11 + 4 - dilation * 2 - 1) / stride + 1, 9 + 2 - 1};
  return shape;
}

/// One filter for each channel.
ConvolutionShape depthwise() {
  ConvolutionShape shape = convolution(1, 1, 1);
  shape.groups = 8;
  shape.input[1] = shape.output[1] = shape.filter[0] = 8;
  shape.filter[1] = 1;
  return shape;
}

void expect_convolution(Device& device, const ConvolutionShape& shape) {
  SCOPED_TRACE(std::string(name_of(shape.element)) + ", pass " +
               std::to_string(static_cast<int>(shape.pass)) + ", groups " +
               std::to_string(shape.groups) + ", stride " + std::to_string(shape.strides[0]) +
               ", dilation " + std::to_string(shape.dilations[0]));
  std::vector<std::unique_ptr<Operand>> operands;
  for (const auto& dims : dims_of_operands(shape)) {
    operands.push_back(std::make_unique<Operand>(
        device, shape.element, packed_bytes(shape.element, element_count(dims)), 0, 0.1));
  }
  const auto each = [&](auto get) { return std::array{get(0), get(1), get(2)}; };
  reference_convolve(shape, each([&](std::size_t i) { return operands[i]->on_host(); }));
  const cuda::ConvolutionId id = device.prepare(shape);
  with_workspace(device, device.workspace_bytes(id), [&](DevicePointer workspace) {
    device.convolve(id, each([&](std::size_t i) { return operands[i]->on_device(); }), workspace);
  });
  // Algorithms that transform operands before multiplying round a few more times.
  operands[2]->expect_same(8 * order_tolerance(shape.element));
}

TEST(DeviceOfTests, Convolves) {
  const auto device = test_device();
  for (const ElementType element : device_floats) {
    for (const Pass pass : {Pass::forward, Pass::input_gradient, Pass::filter_gradient}) {
      for (ConvolutionShape shape : {convolution(1, 1, 1), convolution(1, 2, 1),
                                     convolution(1, 1, 2), convolution(2, 2, 1), depthwise()}) {
        shape.element = element;
        shape.pass = pass;
        expect_convolution(*device, shape);
      }
    }
  }
}

TEST(DeviceOfTests, CopiesAndFills) {
  const auto device = test_device();
  const Tensor made = random_tensor(ElementType::float32, {1000});
  const DeviceTensor first(*device, made);
  const DeviceTensor second(*device, random_tensor(ElementType::float32, {1000}, 5));
  device->copy(second.data(), first.data(), 2000);
  device->fill(second.data() + 2000, 0, 2000);
  const std::vector<double> items = numbers(second.read());
  for (std::size_t i = 0; i < items.size(); ++i) {
    EXPECT_EQ(items[i], i < 500 ? numbers(made)[i] : 0) << i;
  }
  std::byte* const staged = device->allocate_host(4000);
  device->copy(staged, first.data(), 4000);
  device->synchronize();
  EXPECT_EQ(0, std::memcmp(staged, made.load().bytes.data(), 4000));
  device->release_host(staged);
}

TEST(DeviceOfTests, CountsWhatIsInUse) {
  const auto device = test_device();
  const std::int64_t before = device->used_bytes(Pool::tensors);
  const std::int64_t apart = device->used_bytes(Pool::workspaces);
  device->take_peak_used_bytes(Pool::tensors);
  const std::vector<std::int64_t> sizes = {1, 512, 513, 100'000, 3 << 20};
  std::vector<DevicePointer> taken;
  std::int64_t least = before;
  std::int64_t most = before;
  for (const std::int64_t bytes : sizes) {
    taken.push_back(device->allocate(Pool::tensors, bytes));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(taken.back()) % 256, 0U);
    least += bytes;
    most += (bytes + 511) / 512 * 512;
    EXPECT_GE(device->used_bytes(Pool::tensors), least) << bytes;
    EXPECT_LE(device->used_bytes(Pool::tensors), most) << bytes;
  }
  const std::int64_t used = device->used_bytes(Pool::tensors);
  EXPECT_EQ(std::set(taken.begin(), taken.end()).size(), sizes.size());
  for (DevicePointer const memory : taken) device->release(Pool::tensors, memory);
  device->synchronize();
  EXPECT_EQ(device->used_bytes(Pool::tensors), before);
  EXPECT_EQ(device->take_peak_used_bytes(Pool::tensors), used);
  EXPECT_EQ(device->take_peak_used_bytes(Pool::tensors), before);
  EXPECT_EQ(device->used_bytes(Pool::workspaces), apart);
  EXPECT_GE(device->reserved_bytes(Pool::tensors), most);
}

/// Steps of one kernel each, as the runner does them.
class TracedSteps {
 public:
  explicit TracedSteps(Device& device) : device_(device) {
    kernel_ = device.compile(cuda::kernel_library() +
                                 "extern \"C\" __global__ void __launch_bounds__(64) add_index("
                                 "float* x) { x[thread_index()] += float(thread_index()); }",
                             {"add_index"})[0];
  }

  RecordedTrace run(std::uint32_t steps) {
    const cuda::PoolBytes start = in_use();
    for (const Pool pool : {Pool::tensors, Pool::workspaces}) device_.take_peak_used_bytes(pool);
    EXPECT_EQ(device_.start_trace(), "");
    for (std::uint32_t step = 0; step < steps; ++step) run_step(step);
    device_.synchronize();
    const cuda::PoolBytes most = {device_.take_peak_used_bytes(Pool::tensors),
                                  device_.take_peak_used_bytes(Pool::workspaces)};
    return {events_, device_.stop_trace(), start, most};
  }

  /// Bytes in use of the pool of tensors after each allocation.
  const std::vector<std::int64_t>& used() const { return used_; }

 private:
  cuda::PoolBytes in_use() const {
    return {device_.used_bytes(Pool::tensors), device_.used_bytes(Pool::workspaces)};
  }

  void run_step(std::uint32_t step) {
    device_.begin_step(step);
    events_.push_back({HostEvent::Kind::node_start, step, 0, Pool::tensors, 0, "node"});
    DevicePointer const tensor = take(step, Pool::tensors, 256 * (step + 1));
    used_.push_back(device_.used_bytes(Pool::tensors));
    DevicePointer const workspace = take(step, Pool::workspaces, 1000);
    device_.fill(tensor, 0, 256);
    const std::array operands = {tensor};
    device_.launch(kernel_, {1, 64}, operands);
    give_back(step, Pool::workspaces, workspace, 1000);
    events_.push_back({HostEvent::Kind::node_end, step, 0, Pool::tensors, 0, "node"});
    give_back(step, Pool::tensors, tensor, 256 * (step + 1));
  }

  static std::uint64_t address(DevicePointer memory) {
    return reinterpret_cast<std::uintptr_t>(memory);
  }
  DevicePointer take(std::uint32_t step, Pool pool, std::int64_t bytes) {
    DevicePointer const memory = device_.allocate(pool, bytes);
    events_.push_back({HostEvent::Kind::allocate, step, bytes, pool, address(memory), "tensor"});
    return memory;
  }
  void give_back(std::uint32_t step, Pool pool, DevicePointer memory, std::int64_t bytes) {
    device_.release(pool, memory);
    events_.push_back({HostEvent::Kind::release, step, bytes, pool, address(memory), "tensor"});
  }

  Device& device_;
  cuda::KernelId kernel_;
  std::vector<HostEvent> events_;
  std::vector<std::int64_t> used_;
};

/// Saves the trace to the path in STASHSCOPE_SAVE_TRACE, so that other machines can join it.
void save_where_asked(const RecordedTrace& trace) {
  if (const char* const file = std::getenv("STASHSCOPE_SAVE_TRACE")) save_trace(trace, file);
}

/// A second trace works like the first.
TEST(DeviceOfTests, TellsWhatItDidInEachStep) {
  const auto device = test_device();
  for (const char* time : {"first", "second"}) {
    SCOPED_TRACE(time);
    TracedSteps steps(*device);
    const RecordedTrace trace = steps.run(5);
    save_where_asked(trace);
    const cuda::JoinedTrace joined = trace.joined();
    for (const std::string& remark : joined.remarks) ADD_FAILURE() << remark;
    ASSERT_EQ(joined.work.size(), 5U);
    for (const cuda::StepWork& work : joined.work) {
      EXPECT_EQ(work.kernels, 2);
      EXPECT_GT(work.kernel_seconds, 0);
      EXPECT_LT(work.kernel_seconds, 1);
    }
    std::vector<std::int64_t> live;
    for (const TraceEvent& event : joined.events) {
      if (event.kind == TraceEvent::Kind::allocate) live.push_back(event.live_bytes);
    }
    EXPECT_EQ(live, steps.used());
  }
}

}  // namespace device_test
}  // namespace stashscope::testing_run
