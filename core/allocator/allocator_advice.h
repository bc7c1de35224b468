#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/allocator/growth_watch.h"

namespace stashscope {

/// What one choice of allocator settings reserves.
struct AllocatorTrial {
  AllocatorSettings settings;
  std::int64_t reserved_bytes = 0;
  std::int64_t fragmentation_bytes = 0;  ///< reserved beyond the peak of tensors
};

/// The last allocation for which an allocator reserves memory; tensors by name, sizes in bytes.
struct LastGrowth {
  std::string tensor;
  std::int64_t bytes = 0;               ///< of the tensor
  std::int64_t grown_bytes = 0;         ///< newly reserved
  std::int64_t free_bytes = 0;          ///< reserved and free at that moment, in the tensor's pool
  std::int64_t largest_free_bytes = 0;  ///< the largest piece of these
  /// Tensors that lie beside the largest free pieces and keep the pieces from merging.
  std::vector<std::string> between;
};

/// What PyTorch's allocator reserves for the same allocations under several settings.
struct AllocatorAdvice {
  std::vector<AllocatorTrial> trials;  ///< the first has the default settings
  std::size_t best = 0;                ///< index of the first trial that reserves least
  std::optional<LastGrowth> growth;  ///< under the default settings; not set if nothing is reserved
};

/// Plays the same allocations and frees in every call, through an allocator with these settings.
/// Reports them to the watch, unless it is null.
using PlayAllocator = std::function<AllocatorTrial(const AllocatorSettings&, GrowthWatch*)>;

/// Tries the settings of a table, and `present` (the settings in use) if the table lacks them.
/// @param name the name of a tensor; an invalid id is a tensor that `play` did not number
AllocatorAdvice try_settings(const PlayAllocator& play,
                             const std::function<std::string(PlacedTensorId)>& name,
                             const std::optional<AllocatorSettings>& present = {});

/// Why the default settings reserve more than the tensors need; one or two sentences.
std::string reason_text(const AllocatorAdvice& advice);

}  // namespace stashscope
