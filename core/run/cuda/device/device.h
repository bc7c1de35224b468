#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/id.h"
#include "core/graph/element_type.h"
#include "core/run/cuda/device/trace_records.h"

namespace stashscope::cuda {

/// An address in the device's memory. The host must not read or write this memory.
using DevicePointer = std::byte*;

/// The pool of an allocation. The two pools are separate stream-ordered pools, so that the usage of
/// each is known.
enum class Pool : std::uint8_t {
  tensors,     ///< values of the step
  workspaces,  ///< scratch memory of kernels and libraries
};

/// Facts about a device that are known before a step runs on it.
struct DeviceFacts {
  std::string name;       ///< the vendor's name for the device
  std::string libraries;  ///< versions of CUDA, its driver and the opened libraries, for reports
  std::int64_t memory_bytes = 0;
  std::int64_t free_bytes = 0;
  int multiprocessors = 0;
  int architecture = 0;  ///< compute capability, major * 10 + minor
};

/// The numbers of blocks and threads of a kernel launch.
struct LaunchShape {
  std::int64_t blocks = 1;  ///< at most 2^31 - 1
  int threads = 256;        ///< of each block
};

/// D = alpha * op(A) op(B) + addend for each item of a batch, where op transposes the matrix if the
/// shape asks for it. All matrices are row-major and dense; products are summed in float32 (float64
/// for float64).
struct MatmulShape {
  enum class Addend : std::uint8_t {
    none,
    bias,  ///< a vector of `columns` elements, added to each row
    own,   ///< the content of D before the product
  };

  ElementType element = ElementType::float32;  ///< of all operands
  std::int64_t rows = 0;                       ///< of op(A) and D
  std::int64_t columns = 0;                    ///< of op(B) and D
  std::int64_t inner = 0;                      ///< columns of op(A), rows of op(B)
  bool transpose_a = false;
  bool transpose_b = false;
  float alpha = 1;
  Addend addend = Addend::none;
  std::int64_t batch = 1;
  /// Elements from one item of the batch to the next; 0: all items read the same matrix.
  std::int64_t stride_a = 0;
  std::int64_t stride_b = 0;
  std::int64_t stride_d = 0;
  bool rounds_to_tf32 = false;  ///< float32 operands may be rounded to 19 bits

  auto operator<=>(const MatmulShape&) const = default;
};

/// A copy of rows of bytes, evenly spaced in the source and in the target.
struct RowCopy {
  std::int64_t rows = 1;
  std::int64_t row_bytes = 0;
  std::int64_t from_pitch = 0;  ///< bytes from one row's start to the next
  std::int64_t to_pitch = 0;
};

/// Cross-correlation over two spatial axes, in layout NCHW. The two sides of an axis have the same
/// padding. Products are summed in float32 (float64 for float64).
struct ConvolutionShape {
  enum class Pass : std::uint8_t {
    forward,          ///< (x, w) -> y
    input_gradient,   ///< (dy, w) -> dx
    filter_gradient,  ///< (x, dy) -> dw
  };

  Pass pass = Pass::forward;
  ElementType element = ElementType::float32;  ///< of all operands
  std::vector<std::int64_t> input;             ///< [N, C, H, W]
  std::vector<std::int64_t> filter;            ///< [M, C / groups, kH, kW]
  std::vector<std::int64_t> output;            ///< [N, M, outH, outW]
  std::vector<std::int64_t> pads;              ///< [H, W]
  std::vector<std::int64_t> strides;           ///< [H, W]
  std::vector<std::int64_t> dilations;         ///< [H, W]
  std::int64_t groups = 1;
  bool rounds_to_tf32 = false;

  auto operator<=>(const ConvolutionShape&) const = default;
};

using KernelId = Id<struct KernelTag>;
using MatmulId = Id<struct MatmulTag>;
using ConvolutionId = Id<struct ConvolutionTag>;

/// A device as the runner sees it. All work is queued on one stream and ends in the order of the
/// calls; a call may return before its work ends. The plugin implements the interface with CUDA's
/// libraries, and the tests implement it on the CPU. All functions throw a run Error when the
/// device fails.
class Device {
 public:
  virtual ~Device() = default;

  virtual DeviceFacts facts() const = 0;

  /// Allocates memory for work that is queued from now on. Returns null if the device has no memory
  /// left. The memory is aligned to 256 bytes; `bytes` may be 0.
  virtual DevicePointer allocate(Pool pool, std::int64_t bytes) = 0;
  /// Releases memory, which work queued from now on may reuse.
  virtual void release(Pool pool, DevicePointer memory) = 0;
  /// The bytes in use in a pool; each allocation counts with the size to which the pool rounds it.
  virtual std::int64_t used_bytes(Pool pool) const = 0;

  /// Bytes that a pool holds, used or free.
  virtual std::int64_t reserved_bytes(Pool pool) const = 0;
  /// The peak of the bytes in use in a pool since the last call of this function.
  virtual std::int64_t take_peak_used_bytes(Pool pool) = 0;
  /// Returns the pool's unused memory to the device.
  virtual void trim(Pool pool) = 0;
  /// Page-locked host memory, for transfers that do not block the host.
  virtual std::byte* allocate_host(std::int64_t bytes) = 0;
  virtual void release_host(std::byte* memory) = 0;

  /// Copies between device and host or within the device. If host memory is pageable, the function
  /// returns only after the end of the copy.
  virtual void copy(std::byte* to, const std::byte* from, std::int64_t bytes) = 0;
  /// Copies within the device; source and target do not overlap.
  virtual void copy_rows(DevicePointer to, const std::byte* from, const RowCopy& shape) = 0;
  virtual void fill(DevicePointer to, std::uint8_t byte, std::int64_t bytes) = 0;

  /// Compiles CUDA C++ text: first the code that all entries use, then the entries, which do not
  /// depend on each other. Returns one kernel per entry.
  /// @param entries names of the `extern "C" __global__` functions, in the order of the text
  virtual std::vector<KernelId> compile(const std::string& text,
                                        const std::vector<std::string>& entries) = 0;
  /// @param operands the arguments, which are all pointers, in the order of the kernel's parameters
  virtual void launch(KernelId kernel, const LaunchShape& shape,
                      std::span<const DevicePointer> operands) = 0;

  virtual MatmulId prepare(const MatmulShape& shape) = 0;
  virtual std::int64_t workspace_bytes(MatmulId matmul) const = 0;
  /// @param bias null unless the addend of the shape is `bias`
  virtual void multiply(MatmulId matmul, DevicePointer a, DevicePointer b, DevicePointer bias,
                        DevicePointer d, DevicePointer workspace) = 0;

  /// Throws an input Error that names the missing library if cuDNN cannot be opened.
  virtual ConvolutionId prepare(const ConvolutionShape& shape) = 0;
  virtual std::int64_t workspace_bytes(ConvolutionId convolution) const = 0;
  /// @param operands the two inputs in the order of the shape's pass, then the output
  virtual void convolve(ConvolutionId convolution, std::span<const DevicePointer, 3> operands,
                        DevicePointer workspace) = 0;

  /// Records the device's work until `stop_trace`. Returns the reason if recording is impossible,
  /// else an empty text.
  virtual std::string start_trace() = 0;
  /// Starts slot `step` of the execution order: the trace attributes all work that is queued from
  /// now on to this slot.
  virtual void begin_step(std::uint32_t step) = 0;
  /// Waits for the work, then returns the records since `start_trace`.
  virtual TraceRecords stop_trace() = 0;

  /// Waits until all queued work has ended.
  virtual void synchronize() = 0;
};

/// Runs `work` and ignores its errors. Meant for clean-up, because a device that has failed rejects
/// all further calls, and only its first error matters.
template <class Work>
void without_failing(const Work& work) noexcept {
  try {
    work();
  } catch (const Error&) {
  }
}

}  // namespace stashscope::cuda
