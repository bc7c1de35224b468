#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/study/reserved/reserved_memory.h"

namespace stashscope {

/// Memory of the device outside tensors, in bytes. It differs between devices, drivers and
/// versions of libraries, so it has a lower and an upper figure.
struct OtherMemory {
  std::string name;   ///< in options and in JSON, such as `context`
  std::string title;  ///< such as `CUDA context`
  std::int64_t low_bytes = 0;
  std::int64_t high_bytes = 0;
  /// Whether PyTorch's allocator reserves this memory, as one block for each thread that runs
  /// operators.
  bool is_reserved = false;

  friend bool operator==(const OtherMemory&, const OtherMemory&) = default;
};

/// The CUDA context, the workspaces of cuBLAS and cuBLASLt, the buffers of NCCL, and other memory.
/// The sizes of the workspaces are the defaults in PyTorch's CublasHandlePool.cpp:
/// `CUBLAS_WORKSPACE_CONFIG=:4096:2:16:8`, or 32 MiB for compute capability 9.0, and at most 1 MiB
/// for `CUBLASLT_WORKSPACE_SIZE`. A context was seen to take 300 to 600 MiB. NCCL takes 0 here,
/// because its buffers depend on the number of channels and peers.
std::vector<OtherMemory> usual_other_memory();

/// Sets the figures of one entry of the list from a text such as `context=400MiB` (one figure for
/// both) or `nccl=0.5GiB:2GiB` (the lower figure first). Throws a usage Error for any other text
/// and for a name that is not in the list.
void change_other_memory(std::string_view text, std::vector<OtherMemory>& list);

/// The memory that a step takes of the device, in bytes.
struct DeviceMemory {
  std::int64_t low_bytes = 0;
  std::int64_t high_bytes = 0;

  friend bool operator==(const DeviceMemory&, const DeviceMemory&) = default;
};

/// The memory that PyTorch's allocator reserves for the step and for the blocks of `others`, plus
/// the memory of `others` that the allocator does not reserve. The step is played with every
/// combination of lower and upper figures of the blocks, because more bytes may be reserved for a
/// smaller block. The result has the least and the most of all combinations. Each thread that
/// runs operators has its own blocks. A training step has two such threads, the program's and
/// autograd's; a step without a backward pass has one.
/// @param timeline of a variant of the study's step; its tensors may have other sizes than in the
/// study
DeviceMemory device_memory(const Study& study, const Timeline& timeline,
                           const AllocatorSettings& settings,
                           const std::vector<OtherMemory>& others);
/// The memory that a step takes of the device with another allocator than PyTorch's.
/// @param reserved takes the bytes of blocks that the program allocates before the steps and keeps;
/// returns the least and the most that the allocator reserves for the step and these blocks
DeviceMemory device_memory(
    const Study& study, const std::vector<OtherMemory>& others,
    const std::function<DeviceMemory(std::span<const std::int64_t>)>& reserved);

}  // namespace stashscope
