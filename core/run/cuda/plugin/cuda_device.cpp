#include "core/run/cuda/plugin/cuda_device.h"

#include <algorithm>
#include <limits>

#include "core/run/cuda/plugin/check.h"
#include "core/run/cuda/plugin/kernel_compiler.h"
#include "core/run/cuda/plugin/versions.h"

namespace stashscope::cuda {

namespace {

/// Rows of at least this many bytes are copied with one call per row. At unaligned addresses, these
/// calls are faster than a single call for many rows, and their overhead is negligible.
constexpr std::int64_t long_row = std::int64_t{8} << 20;

std::size_t to_size(std::int64_t bytes) { return static_cast<std::size_t>(bytes); }

int attribute_of(int device, cudaDeviceAttr name) {
  int value = 0;
  check(cudaDeviceGetAttribute(&value, name, device), "querying the device");
  return value;
}

/// Makes the device current for this thread. Returns the compute capability, major * 10 + minor.
int use_device(int index) {
  check(cudaSetDevice(index), "starting the device");
  check(cudaFree(nullptr), "starting the device");
  if (attribute_of(index, cudaDevAttrMemoryPoolsSupported) == 0) {
    fail_run(device_place, "has no memory pools, which measurements need");
  }
  return 10 * attribute_of(index, cudaDevAttrComputeCapabilityMajor) +
         attribute_of(index, cudaDevAttrComputeCapabilityMinor);
}

/// Whether host memory is not page-locked.
bool is_pageable(const std::byte* memory) {
  cudaPointerAttributes attributes{};
  check(cudaPointerGetAttributes(&attributes, memory), "looking up an address");
  return attributes.type == cudaMemoryTypeUnregistered;
}

}  // namespace

Stream::Stream() {
  check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "starting a stream");
}

Stream::~Stream() { cudaStreamDestroy(stream_); }

MemoryPool::MemoryPool(int device) {
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location.type = cudaMemLocationTypeDevice;
  properties.location.id = device;
  check(cudaMemPoolCreate(&pool_, &properties), "making a memory pool");
  std::uint64_t never = std::numeric_limits<std::uint64_t>::max();
  check(cudaMemPoolSetAttribute(pool_, cudaMemPoolAttrReleaseThreshold, &never),
        "making a memory pool");
}

MemoryPool::~MemoryPool() { cudaMemPoolDestroy(pool_); }

std::int64_t MemoryPool::attribute(cudaMemPoolAttr name) const {
  std::uint64_t bytes = 0;
  check(cudaMemPoolGetAttribute(pool_, name, &bytes), "querying a memory pool");
  return static_cast<std::int64_t>(bytes);
}

std::int64_t MemoryPool::take_peak() {
  // CUDA resets the high-water mark to 0 instead of the bytes in use, so the mark may be below the
  // bytes in use.
  const std::int64_t peak =
      std::max(attribute(cudaMemPoolAttrUsedMemHigh), attribute(cudaMemPoolAttrUsedMemCurrent));
  std::uint64_t reset = 0;
  check(cudaMemPoolSetAttribute(pool_, cudaMemPoolAttrUsedMemHigh, &reset),
        "measuring the bytes in use of a memory pool");
  return peak;
}

void MemoryPool::trim() {
  check(cudaMemPoolTrimTo(pool_, 0), "returning unused memory of a pool to the device");
}

CudaDevice::CudaDevice(int index)
    : index_(index),
      architecture_(use_device(index)),
      pools_{MemoryPool(index), MemoryPool(index)},
      kernels_(architecture_) {}

CudaDevice::~CudaDevice() { cudaStreamSynchronize(stream_.get()); }

DeviceFacts CudaDevice::facts() const {
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, index_), "querying the device");
  std::size_t free_bytes = 0;
  std::size_t all_bytes = 0;
  check(cudaMemGetInfo(&free_bytes, &all_bytes), "querying the device");
  DeviceFacts facts;
  facts.name = properties.name;
  facts.libraries = libraries();
  facts.memory_bytes = static_cast<std::int64_t>(all_bytes);
  facts.free_bytes = static_cast<std::int64_t>(free_bytes);
  facts.multiprocessors = properties.multiProcessorCount;
  facts.architecture = architecture_;
  return facts;
}

std::string CudaDevice::libraries() const {
  std::string text = "CUDA " + runtime_version() + ", driver for CUDA " + driver_version() +
                     ", NVRTC " + compiler_version() + ", cuBLASLt " + Matmuls::library_version();
  const std::string cudnn = convolutions_.library_version();
  return cudnn.empty() ? text : text + ", cuDNN " + cudnn;
}

DevicePointer CudaDevice::allocate(Pool pool, std::int64_t bytes) {
  void* memory = nullptr;
  const cudaError_t status = cudaMallocFromPoolAsync(
      &memory, to_size(std::max<std::int64_t>(bytes, 1)), this->memory(pool).get(), stream_.get());
  if (status == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    return nullptr;
  }
  check(status, "allocating memory");
  return static_cast<DevicePointer>(memory);
}

void CudaDevice::release(Pool, DevicePointer memory) {
  check(cudaFreeAsync(memory, stream_.get()), "releasing memory");
}

std::int64_t CudaDevice::used_bytes(Pool pool) const {
  return memory(pool).attribute(cudaMemPoolAttrUsedMemCurrent);
}

std::int64_t CudaDevice::reserved_bytes(Pool pool) const {
  return memory(pool).attribute(cudaMemPoolAttrReservedMemCurrent);
}

std::int64_t CudaDevice::take_peak_used_bytes(Pool pool) { return memory(pool).take_peak(); }

void CudaDevice::trim(Pool pool) { memory(pool).trim(); }

std::byte* CudaDevice::allocate_host(std::int64_t bytes) {
  void* memory = nullptr;
  check(cudaHostAlloc(&memory, to_size(std::max<std::int64_t>(bytes, 1)), cudaHostAllocDefault),
        "allocating page-locked memory");
  return static_cast<std::byte*>(memory);
}

void CudaDevice::release_host(std::byte* memory) {
  check(cudaFreeHost(memory), "releasing page-locked memory");
}

void CudaDevice::copy(std::byte* to, const std::byte* from, std::int64_t bytes) {
  if (bytes == 0) return;
  check(cudaMemcpyAsync(to, from, to_size(bytes), cudaMemcpyDefault, stream_.get()),
        "copying memory");
  if (is_pageable(to) || is_pageable(from)) synchronize();
}

void CudaDevice::copy_rows(DevicePointer to, const std::byte* from, const RowCopy& shape) {
  if (shape.rows == 0 || shape.row_bytes == 0) return;
  if (shape.row_bytes >= long_row) {
    for (std::int64_t i = 0; i < shape.rows; ++i) {
      copy_within(to + i * shape.to_pitch, from + i * shape.from_pitch, shape.row_bytes);
    }
    return;
  }
  check(cudaMemcpy2DAsync(to, to_size(shape.to_pitch), from, to_size(shape.from_pitch),
                          to_size(shape.row_bytes), to_size(shape.rows), cudaMemcpyDeviceToDevice,
                          stream_.get()),
        "copying rows");
}

void CudaDevice::copy_within(DevicePointer to, const std::byte* from, std::int64_t bytes) {
  check(cudaMemcpyAsync(to, from, to_size(bytes), cudaMemcpyDeviceToDevice, stream_.get()),
        "copying memory");
}

void CudaDevice::fill(DevicePointer to, std::uint8_t byte, std::int64_t bytes) {
  if (bytes == 0) return;
  check(cudaMemsetAsync(to, byte, to_size(bytes), stream_.get()), "filling memory");
}

std::vector<KernelId> CudaDevice::compile(const std::string& text,
                                          const std::vector<std::string>& entries) {
  return kernels_.compile(text, entries);
}

void CudaDevice::launch(KernelId kernel, const LaunchShape& shape,
                        std::span<const DevicePointer> operands) {
  kernels_.launch(kernel, shape, operands, stream_.get());
}

MatmulId CudaDevice::prepare(const MatmulShape& shape) { return matmuls_.prepare(shape); }

std::int64_t CudaDevice::workspace_bytes(MatmulId matmul) const {
  return matmuls_.workspace_bytes(matmul);
}

void CudaDevice::multiply(MatmulId matmul, DevicePointer a, DevicePointer b, DevicePointer bias,
                          DevicePointer d, DevicePointer workspace) {
  matmuls_.multiply(matmul, {a, b, bias, d, workspace}, stream_.get());
}

ConvolutionId CudaDevice::prepare(const ConvolutionShape& shape) {
  return convolutions_.prepare(shape);
}

std::int64_t CudaDevice::workspace_bytes(ConvolutionId convolution) const {
  return convolutions_.workspace_bytes(convolution);
}

void CudaDevice::convolve(ConvolutionId convolution, std::span<const DevicePointer, 3> operands,
                          DevicePointer workspace) {
  convolutions_.convolve(convolution, operands, workspace, stream_.get());
}

std::string CudaDevice::start_trace() {
  synchronize();
  return trace_.start();
}

void CudaDevice::begin_step(std::uint32_t step) { trace_.begin_step(step); }

TraceRecords CudaDevice::stop_trace() {
  synchronize();
  return trace_.stop();
}

void CudaDevice::synchronize() {
  check(cudaStreamSynchronize(stream_.get()), "waiting for the device");
}

}  // namespace stashscope::cuda
