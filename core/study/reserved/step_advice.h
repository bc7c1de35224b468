#pragma once

#include <string>
#include <vector>

#include "core/study/reserved/reserved_memory.h"

namespace stashscope {

/// What one choice of allocator settings reserves for a step.
struct AllocatorTrial {
  AllocatorSettings settings;
  std::int64_t reserved_bytes = 0;
  std::int64_t fragmentation_bytes = 0;
};

/// The moment at which the allocator reserves memory for the last time.
struct LastGrowth {
  std::string tensor;            ///< the tensor that finds no room, or the node with a workspace
  std::size_t slot = 0;          ///< the slot in which it is allocated
  std::int64_t bytes = 0;        ///< of the tensor
  std::int64_t grown_bytes = 0;  ///< newly reserved
  std::int64_t free_bytes = 0;   ///< reserved and free at that moment, in the tensor's pool
  std::int64_t largest_free_bytes = 0;  ///< the largest piece of these
  std::vector<std::string>
      between;  ///< tensors beside the largest free pieces, which keep them apart
};

/// Settings of PyTorch's allocator for a step.
struct AllocatorAdvice {
  std::vector<AllocatorTrial> trials;  ///< the first has the default settings
  std::size_t best = 0;  ///< index of the trial that reserves least; of equals the first
  std::optional<LastGrowth> growth;  ///< under the default settings; not set if nothing is reserved
};

/// Tries settings on a variant of the study's step.
AllocatorAdvice allocator_advice(const Study& study, const Variant& variant);

/// Why the default settings reserve more than the tensors need; one or two sentences.
std::string reason_text(const AllocatorAdvice& advice);

}  // namespace stashscope
