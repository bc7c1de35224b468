#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/allocator/pool_settings.h"
#include "core/study/reserved/device_memory.h"

namespace stashscope {

/// The bytes that a stream-ordered pool of CUDA reserves while a step is repeated. Not all rules of
/// the pool are published, so there are two figures.
struct PoolMemory {
  /// The bytes that a pool reserves if it places the tensors without gaps: the least that is
  /// possible.
  std::int64_t low_bytes = 0;
  /// The bytes that a pool reserves if it never remaps memory (`StreamOrderedPool`): the larger
  /// result of the two rules of placement (`PoolFit`). A real pool that places memory worse may
  /// reserve more.
  std::int64_t high_bytes = 0;
  std::int64_t fragmentation_bytes = 0;  ///< `high_bytes` minus the peak of tensors

  friend bool operator==(const PoolMemory&, const PoolMemory&) = default;
};

/// Plays the tensors of a variant through pools as `reserved_memory` does through PyTorch's
/// allocator. After each step the program waits for the device, as the CUDA plugin does. A pool
/// releases memory at such a wait.
/// @param variant a variant of the study's step
/// @param held the bytes of blocks that the program allocates before the steps and keeps
PoolMemory pool_memory(const Study& study, const Variant& variant, const PoolSettings& settings,
                       std::span<const std::int64_t> held = {});

/// `device_memory` for a pool, which holds the blocks of `others` as PyTorch's allocator does.
/// @param variant a variant of the study's step
DeviceMemory device_memory(const Study& study, const Variant& variant, const PoolSettings& settings,
                           const std::vector<OtherMemory>& others);

/// The bytes that the two pools of the CUDA plugin reserve together. One pool holds the tensors.
/// The other pool holds the number of the run, the gradients that the caller of a YieldOp returns,
/// and workspaces. A node frees its workspaces before the next node allocates its own, so only the
/// node with the largest workspaces counts.
/// @param tensors the bytes that the pool of the tensors reserves
/// @param workspace_bytes the most bytes of workspaces at once, measured; 0 if unknown
DeviceMemory plugin_pools(const Study& study, const PoolMemory& tensors,
                          std::int64_t workspace_bytes, const PoolSettings& settings);

}  // namespace stashscope
