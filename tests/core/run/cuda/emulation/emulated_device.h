#pragma once

#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "block_runner.h"
#include "core/run/cuda/device/device.h"

namespace stashscope::testing_run {

/// A device whose memory is the host's and whose kernels are compiled for the CPU. Memory is
/// overwritten when it is allocated and released, so that reading stale data fails. All work ends
/// before a call returns. Throws a run Error where a real device's behaviour is undefined: memory
/// that is not the device's, writes after the end of an allocation, barriers that not all threads
/// reach.
class EmulatedDevice : public cuda::Device {
 public:
  static constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max();
  static constexpr std::int64_t library_workspace = 1024;  ///< bytes that each library call takes
  static constexpr std::uint64_t kernel_nanoseconds = 1000;
  static constexpr std::uint8_t poison = 0xCD;
  static constexpr int architecture = 90;  ///< compute capability that kernels are checked for

  /// Whether CUDA's compiler, if it is installed, must also accept the kernels' text. This check
  /// takes as long as running the kernels.
  enum class TextCheck : std::uint8_t { for_devices, none };

  /// @param memory_limit bytes of both pools together; further allocations fail
  explicit EmulatedDevice(std::int64_t memory_limit = unlimited,
                          TextCheck check = TextCheck::for_devices);
  ~EmulatedDevice() override;
  EmulatedDevice(const EmulatedDevice&) = delete;
  EmulatedDevice& operator=(const EmulatedDevice&) = delete;

  cuda::DeviceFacts facts() const override;

  cuda::DevicePointer allocate(cuda::Pool pool, std::int64_t bytes) override;
  void release(cuda::Pool pool, cuda::DevicePointer memory) override;
  std::int64_t used_bytes(cuda::Pool pool) const override { return state(pool).used; }
  std::int64_t reserved_bytes(cuda::Pool pool) const override { return state(pool).reserved; }
  std::int64_t take_peak_used_bytes(cuda::Pool pool) override {
    return std::exchange(state(pool).peak, state(pool).used);
  }
  void trim(cuda::Pool pool) override { state(pool).reserved = state(pool).used; }
  static std::int64_t rounded(std::int64_t bytes);  ///< bytes that an allocation takes from a pool
  std::size_t host_allocations() const { return host_blocks_.size(); }
  std::byte* allocate_host(std::int64_t bytes) override;
  void release_host(std::byte* memory) override;

  void copy(std::byte* to, const std::byte* from, std::int64_t bytes) override;
  void copy_rows(cuda::DevicePointer to, const std::byte* from,
                 const cuda::RowCopy& shape) override;
  void fill(cuda::DevicePointer to, std::uint8_t byte, std::int64_t bytes) override;

  std::vector<cuda::KernelId> compile(const std::string& text,
                                      const std::vector<std::string>& entries) override;
  void launch(cuda::KernelId kernel, const cuda::LaunchShape& shape,
              std::span<const cuda::DevicePointer> operands) override;

  cuda::MatmulId prepare(const cuda::MatmulShape& shape) override;
  std::int64_t workspace_bytes(cuda::MatmulId) const override { return library_workspace; }
  void multiply(cuda::MatmulId matmul, cuda::DevicePointer a, cuda::DevicePointer b,
                cuda::DevicePointer bias, cuda::DevicePointer d,
                cuda::DevicePointer workspace) override;

  cuda::ConvolutionId prepare(const cuda::ConvolutionShape& shape) override;
  std::int64_t workspace_bytes(cuda::ConvolutionId) const override { return library_workspace; }
  void convolve(cuda::ConvolutionId convolution, std::span<const cuda::DevicePointer, 3> operands,
                cuda::DevicePointer workspace) override;

  std::string start_trace() override;
  void begin_step(std::uint32_t step) override { step_ = step; }
  cuda::TraceRecords stop_trace() override;
  void synchronize() override {}

 private:
  struct PoolState {
    std::int64_t used = 0;
    std::int64_t reserved = 0;
    std::int64_t peak = 0;  ///< of `used`, since the last query
  };
  struct Block {
    cuda::Pool pool;
    std::int64_t bytes;
  };
  struct Kernel {
    std::string name;
    void (*call)(void* const* operands);
    std::size_t parameters;
    EmulatedThreads** threads;  ///< the variable through which its text finds its threads
  };
  class Library;

  const PoolState& state(cuda::Pool pool) const { return pools_[static_cast<std::size_t>(pool)]; }
  PoolState& state(cuda::Pool pool) { return pools_[static_cast<std::size_t>(pool)]; }
  std::byte* taken_memory(cuda::Pool pool, std::int64_t bytes);
  /// Whether all these bytes belong to one live allocation.
  bool holds(const std::byte* memory, std::int64_t bytes) const;
  /// Throws if these bytes do not belong to one live allocation.
  void check(const std::byte* memory, std::int64_t bytes) const;
  void check_workspace(cuda::DevicePointer workspace) const;
  std::uint32_t next_call();
  void record_memory(cuda::Pool pool, const std::byte* memory, bool allocates);
  void record_kernel(const std::string& name);

  std::int64_t memory_limit_;
  TextCheck text_check_;
  PoolState pools_[2];
  std::map<const std::byte*, Block> blocks_;
  /// Released memory by pool and rounded size. Pools never share addresses.
  std::multimap<std::pair<cuda::Pool, std::int64_t>, std::byte*> unused_;
  std::map<std::byte*, std::int64_t> host_blocks_;  ///< page-locked blocks and their bytes
  std::map<std::string, std::unique_ptr<Library>> libraries_;  ///< by text
  IdVector<cuda::KernelId, Kernel> kernels_;
  IdVector<cuda::MatmulId, cuda::MatmulShape> matmuls_;
  IdVector<cuda::ConvolutionId, cuda::ConvolutionShape> convolutions_;
  BlockRunner runner_;

  bool traces_ = false;
  std::optional<std::uint32_t> step_;
  cuda::TraceRecords records_;
  std::uint32_t correlation_ = 0;  ///< of the last call
  std::uint64_t host_time_ = 0;    ///< ns
  std::uint64_t device_time_ = 0;
};

}  // namespace stashscope::testing_run
