#include "emulated_device.h"

#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <fstream>

#include "core/base/error.h"
#include "core/graph/tensor.h"
#include "core/process/temporary_folder.h"
#include "kernel_store.h"
#include "reference_products.h"

namespace stashscope::testing_run {

using cuda::DevicePointer;
using cuda::Pool;

namespace {

constexpr std::size_t alignment = 256;
constexpr std::int64_t granularity = 512;
/// Poisoned bytes after each allocation, which nothing may overwrite.
constexpr std::int64_t margin = 256;
constexpr std::int64_t made_up_memory = std::int64_t{1} << 30;
constexpr std::uint64_t call_nanoseconds = 100;

std::int64_t rounded_up(std::int64_t bytes, std::int64_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

std::byte* poisoned(std::int64_t bytes) {
  const auto size = static_cast<std::size_t>(rounded_up(bytes, granularity) + margin);
  auto* const memory = static_cast<std::byte*>(std::aligned_alloc(alignment, size));
  std::memset(memory, EmulatedDevice::poison, size);
  return memory;
}

bool is_poison(const std::byte* from, const std::byte* to) {
  return std::all_of(from, to,
                     [](std::byte each) { return each == std::byte{EmulatedDevice::poison}; });
}

}  // namespace

/// Kernel text as a shared library of its own, so that no two devices share variables.
class EmulatedDevice::Library {
 public:
  Library(const std::string& text, const std::vector<std::string>& entries) {
    const std::string source = source_of(text, entries);
    const std::filesystem::path library = folder_.path() / "kernels.so";
    kernel_store().get(origin_of(source), library, [&] { build(source, library); });
    handle_ = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ == nullptr) fail_run("", ::dlerror());
  }
  ~Library() {
    if (handle_ != nullptr) ::dlclose(handle_);
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  template <class T>
  T* find(const std::string& name) const {
    void* const found = ::dlsym(handle_, name.c_str());
    if (found == nullptr) fail_run("", "the compiled kernels have no " + name);
    return reinterpret_cast<T*>(found);
  }

 private:
  static constexpr std::string_view command = "'" STASHSCOPE_COMPILER
                                              "' -O1 -std=c++17 -shared -fPIC -w -ffp-contract=off"
                                              " -fvisibility=hidden -fno-gnu-unique";

  static std::string source_of(const std::string& text, const std::vector<std::string>& entries) {
    std::string source =
        "#include \"" STASHSCOPE_EMULATION "/emulation.h\"\n#line 1 \"kernels\"\n" + text + '\n';
    for (const std::string& entry : entries) source += "EMULATED_ENTRY(" + entry + ")\n";
    return source;
  }

  /// The command with its compiler's age, and what it reads.
  static std::string origin_of(const std::string& source) {
    const auto age = std::filesystem::last_write_time(STASHSCOPE_COMPILER).time_since_epoch();
    const std::filesystem::path headers = STASHSCOPE_EMULATION;
    return std::string(command) + std::to_string(age.count()) +
           contents_of(headers / "emulation.h") + contents_of(headers / "emulated_threads.h") +
           source;
  }

  void build(const std::string& source, const std::filesystem::path& library) const {
    const std::filesystem::path file = folder_.path() / "kernels.cpp";
    const std::filesystem::path messages = folder_.path() / "messages";
    std::ofstream(file) << source;
    const std::string built = std::string(command) + " -o '" + library.string() + "' '" +
                              file.string() + "' > '" + messages.string() + "' 2>&1";
    if (std::system(built.c_str()) != 0) {
      fail_run("", "kernels do not compile: " + contents_of(messages));
    }
  }

  TemporaryFolder folder_;
  void* handle_ = nullptr;
};

EmulatedDevice::EmulatedDevice(std::int64_t memory_limit, TextCheck check)
    : memory_limit_(memory_limit), text_check_(check) {}

EmulatedDevice::~EmulatedDevice() {
  for (const auto& [memory, block] : blocks_) std::free(const_cast<std::byte*>(memory));
  for (const auto& [kind, memory] : unused_) std::free(memory);
  for (const auto& [memory, bytes] : host_blocks_) std::free(memory);
}

cuda::DeviceFacts EmulatedDevice::facts() const {
  cuda::DeviceFacts facts{.name = "emulated device", .libraries = "none"};
  facts.memory_bytes = memory_limit_ == unlimited ? made_up_memory : memory_limit_;
  facts.free_bytes = facts.memory_bytes - pools_[0].used - pools_[1].used;
  facts.multiprocessors = 2;
  facts.architecture = architecture;
  return facts;
}

std::int64_t EmulatedDevice::rounded(std::int64_t bytes) { return rounded_up(bytes, granularity); }

std::byte* EmulatedDevice::taken_memory(Pool pool, std::int64_t bytes) {
  const auto found = unused_.find({pool, rounded(bytes)});
  if (found == unused_.end()) return poisoned(bytes);
  std::byte* const memory = found->second;
  unused_.erase(found);
  return memory;
}

DevicePointer EmulatedDevice::allocate(Pool pool, std::int64_t bytes) {
  const std::int64_t taken = rounded(bytes);
  if (pools_[0].used + pools_[1].used > memory_limit_ - taken) return nullptr;
  std::byte* const memory = taken_memory(pool, bytes);
  blocks_.emplace(memory, Block{pool, bytes});
  state(pool).used += taken;
  state(pool).reserved = std::max(state(pool).reserved, state(pool).used);
  state(pool).peak = std::max(state(pool).peak, state(pool).used);
  record_memory(pool, memory, true);
  return memory;
}

void EmulatedDevice::release(Pool pool, DevicePointer memory) {
  const auto found = blocks_.find(memory);
  if (found == blocks_.end() || found->second.pool != pool) {
    fail_run("", "memory is released that is not in use");
  }
  const std::int64_t bytes = found->second.bytes;
  const std::int64_t taken = rounded(bytes);
  if (!is_poison(memory + bytes, memory + taken + margin)) {
    fail_run("", "a kernel wrote behind an allocation of " + std::to_string(bytes) + " bytes");
  }
  state(pool).used -= taken;
  record_memory(pool, memory, false);
  blocks_.erase(found);
  std::memset(memory, poison, static_cast<std::size_t>(bytes));
  unused_.emplace(std::pair(pool, taken), memory);
}

std::byte* EmulatedDevice::allocate_host(std::int64_t bytes) {
  std::byte* const memory = poisoned(bytes);
  host_blocks_.emplace(memory, bytes);
  return memory;
}

void EmulatedDevice::release_host(std::byte* memory) {
  if (host_blocks_.erase(memory) == 0) fail_run("", "host memory is released that is not in use");
  std::free(memory);
}

bool EmulatedDevice::holds(const std::byte* memory, std::int64_t bytes) const {
  const auto behind = blocks_.upper_bound(memory);
  if (behind == blocks_.begin()) return false;
  const auto& [start, block] = *std::prev(behind);
  return memory + bytes <= start + block.bytes;
}

void EmulatedDevice::check(const std::byte* memory, std::int64_t bytes) const {
  if (holds(memory, bytes)) return;
  fail_run("", "an operand of " + std::to_string(bytes) + " bytes is not in the device's memory");
}

void EmulatedDevice::copy(std::byte* to, const std::byte* from, std::int64_t bytes) {
  if (!holds(to, bytes)) check(from, bytes);
  std::memmove(to, from, static_cast<std::size_t>(bytes));
  record_kernel("copy");
}

void EmulatedDevice::copy_rows(DevicePointer to, const std::byte* from,
                               const cuda::RowCopy& shape) {
  for (std::int64_t row = 0; row < shape.rows; ++row) {
    check(from + row * shape.from_pitch, shape.row_bytes);
    check(to + row * shape.to_pitch, shape.row_bytes);
    std::memcpy(to + row * shape.to_pitch, from + row * shape.from_pitch,
                static_cast<std::size_t>(shape.row_bytes));
  }
  record_kernel("copy of rows");
}

void EmulatedDevice::fill(DevicePointer to, std::uint8_t byte, std::int64_t bytes) {
  check(to, bytes);
  std::memset(to, byte, static_cast<std::size_t>(bytes));
  record_kernel("fill");
}

std::vector<cuda::KernelId> EmulatedDevice::compile(const std::string& text,
                                                    const std::vector<std::string>& entries) {
  std::unique_ptr<Library>& known = libraries_[text];
  if (known == nullptr) {
    if (text_check_ == TextCheck::for_devices) require_device_code(text, entries, architecture);
    known = std::make_unique<Library>(text, entries);
  }
  const Library& library = *known;
  std::vector<cuda::KernelId> ids;
  for (const std::string& entry : entries) {
    ids.push_back(kernels_.push_back({entry, library.find<void(void* const*)>("call_" + entry),
                                      *library.find<std::size_t>("parameters_of_" + entry),
                                      library.find<EmulatedThreads*>("emulated_threads")}));
  }
  return ids;
}

void EmulatedDevice::launch(cuda::KernelId id, const cuda::LaunchShape& shape,
                            std::span<const DevicePointer> operands) {
  const Kernel& kernel = kernels_[id];
  if (operands.size() != kernel.parameters) {
    fail_run("", kernel.name + " takes " + std::to_string(kernel.parameters) + " operands, not " +
                     std::to_string(operands.size()));
  }
  if (shape.blocks < 1 || shape.blocks > 0x7FFFFFFF || shape.threads < 1 || shape.threads > 1024) {
    fail_run("", kernel.name + " is started with too few or too many threads");
  }
  for (const std::byte* operand : operands) check(operand, 0);
  const std::vector<void*> pointers(operands.begin(), operands.end());
  *kernel.threads = &runner_;
  runner_.run(static_cast<std::uint32_t>(shape.blocks), static_cast<unsigned>(shape.threads),
              [&] { kernel.call(pointers.data()); });
  record_kernel(kernel.name);
}

void EmulatedDevice::check_workspace(DevicePointer workspace) const {
  check(workspace, library_workspace);
  std::memset(workspace, 0xAB, library_workspace);
}

cuda::MatmulId EmulatedDevice::prepare(const cuda::MatmulShape& shape) {
  return matmuls_.push_back(shape);
}

void EmulatedDevice::multiply(cuda::MatmulId matmul, DevicePointer a, DevicePointer b,
                              DevicePointer bias, DevicePointer d, DevicePointer workspace) {
  const cuda::MatmulShape& shape = matmuls_[matmul];
  check(a, bytes_of_a(shape));
  check(b, bytes_of_b(shape));
  check(d, bytes_of_d(shape));
  if (shape.addend == cuda::MatmulShape::Addend::bias) {
    check(bias, packed_bytes(shape.element, shape.columns));
  }
  check_workspace(workspace);
  reference_multiply(shape, a, b, bias, d);
  record_kernel("multiply");
}

cuda::ConvolutionId EmulatedDevice::prepare(const cuda::ConvolutionShape& shape) {
  return convolutions_.push_back(shape);
}

void EmulatedDevice::convolve(cuda::ConvolutionId convolution,
                              std::span<const DevicePointer, 3> operands, DevicePointer workspace) {
  const cuda::ConvolutionShape& shape = convolutions_[convolution];
  const auto dims = dims_of_operands(shape);
  for (std::size_t i = 0; i < operands.size(); ++i) {
    check(operands[i], packed_bytes(shape.element, element_count(dims[i])));
  }
  check_workspace(workspace);
  reference_convolve(shape, operands);
  record_kernel("convolve");
}

std::string EmulatedDevice::start_trace() {
  traces_ = true;
  step_.reset();
  records_ = {};
  return {};
}

cuda::TraceRecords EmulatedDevice::stop_trace() {
  traces_ = false;
  return std::exchange(records_, {});
}

std::uint32_t EmulatedDevice::next_call() {
  host_time_ += call_nanoseconds;
  ++correlation_;
  if (traces_ && step_) records_.steps.push_back({correlation_, *step_});
  return correlation_;
}

void EmulatedDevice::record_memory(Pool pool, const std::byte* memory, bool allocates) {
  const std::uint32_t correlation = next_call();
  if (!traces_) return;
  const PoolState& now = state(pool);
  records_.memory.push_back(
      {host_time_, reinterpret_cast<std::uint64_t>(memory), blocks_.at(memory).bytes, allocates,
       reinterpret_cast<std::uint64_t>(&now), now.used, now.reserved, correlation});
}

void EmulatedDevice::record_kernel(const std::string& name) {
  const std::uint32_t correlation = next_call();
  const std::uint64_t start = std::max(device_time_, host_time_);
  device_time_ = start + kernel_nanoseconds;
  if (traces_) records_.kernels.push_back({start, device_time_, name, correlation});
}

}  // namespace stashscope::testing_run
