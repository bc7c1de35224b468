#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <optional>

#include "core/run/cuda/device/device.h"
#include "core/run/cuda/plugin/convolution.h"
#include "core/run/cuda/plugin/cupti_trace.h"
#include "core/run/cuda/plugin/kernels.h"
#include "core/run/cuda/plugin/matmul.h"

namespace stashscope::cuda {

/// The CUDA stream on which all work is queued.
class Stream {
 public:
  Stream();
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  cudaStream_t get() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

/// A stream-ordered pool that keeps its memory until `trim`.
class MemoryPool {
 public:
  explicit MemoryPool(int device);
  ~MemoryPool();
  MemoryPool(const MemoryPool&) = delete;
  MemoryPool& operator=(const MemoryPool&) = delete;

  cudaMemPool_t get() const { return pool_; }
  std::int64_t attribute(cudaMemPoolAttr name) const;
  /// Peak bytes in use since the last call of this function.
  std::int64_t take_peak();
  void trim();

 private:
  cudaMemPool_t pool_ = nullptr;
};

/// A CUDA device, for use by the thread that opens it.
class CudaDevice : public Device {
 public:
  /// Throws a run Error if the device cannot be used.
  explicit CudaDevice(int index);
  ~CudaDevice() override;
  CudaDevice(const CudaDevice&) = delete;
  CudaDevice& operator=(const CudaDevice&) = delete;

  DeviceFacts facts() const override;

  DevicePointer allocate(Pool pool, std::int64_t bytes) override;
  void release(Pool pool, DevicePointer memory) override;
  std::int64_t used_bytes(Pool pool) const override;
  std::int64_t reserved_bytes(Pool pool) const override;
  std::int64_t take_peak_used_bytes(Pool pool) override;
  void trim(Pool pool) override;
  std::byte* allocate_host(std::int64_t bytes) override;
  void release_host(std::byte* memory) override;

  void copy(std::byte* to, const std::byte* from, std::int64_t bytes) override;
  void copy_rows(DevicePointer to, const std::byte* from, const RowCopy& shape) override;
  void fill(DevicePointer to, std::uint8_t byte, std::int64_t bytes) override;

  std::vector<KernelId> compile(const std::string& text,
                                const std::vector<std::string>& entries) override;
  void launch(KernelId kernel, const LaunchShape& shape,
              std::span<const DevicePointer> operands) override;

  MatmulId prepare(const MatmulShape& shape) override;
  std::int64_t workspace_bytes(MatmulId matmul) const override;
  void multiply(MatmulId matmul, DevicePointer a, DevicePointer b, DevicePointer bias,
                DevicePointer d, DevicePointer workspace) override;

  ConvolutionId prepare(const ConvolutionShape& shape) override;
  std::int64_t workspace_bytes(ConvolutionId convolution) const override;
  void convolve(ConvolutionId convolution, std::span<const DevicePointer, 3> operands,
                DevicePointer workspace) override;

  std::string start_trace() override;
  void begin_step(std::uint32_t step) override;
  TraceRecords stop_trace() override;

  void synchronize() override;

 private:
  MemoryPool& memory(Pool pool) { return pools_[static_cast<std::size_t>(pool)]; }
  const MemoryPool& memory(Pool pool) const { return pools_[static_cast<std::size_t>(pool)]; }
  std::string libraries() const;
  void copy_within(DevicePointer to, const std::byte* from, std::int64_t bytes);

  CuptiTrace trace_;  // first member, because it must exist before the device is used
  int index_;
  int architecture_;
  Stream stream_;
  std::array<MemoryPool, 2> pools_;  // by Pool
  Kernels kernels_;
  Matmuls matmuls_;
  Convolutions convolutions_;
};

}  // namespace stashscope::cuda
