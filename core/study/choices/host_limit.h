#pragma once

#include <cstdint>

#include "core/study/choices/choices.h"

namespace stashscope {

/// Whether plans that keep these bytes on the host respect `TimeChoices::host_memory`.
inline bool keeps_host(const Choices& choices, std::int64_t host_bytes) {
  return host_bytes <= choices.times.host_memory.value_or(host_bytes);
}

/// The entries of `asked` that offload tensors and that `planned` lacks or has with another count,
/// if the host's memory is limited and the planned choices have no planned sequence.
inline RecomputeConfig lowered_offloads(const Choices& asked, const Choices& planned) {
  RecomputeConfig lowered;
  if (!asked.times.host_memory || planned.plans.sequence) return lowered;
  for (const auto& [cluster, choice] : offloads_in(asked.plans.config)) {
    const auto found = planned.plans.config.find(cluster);
    const bool is_same = found != planned.plans.config.end() && found->second == choice;
    if (!is_same) lowered.emplace(cluster, choice);
  }
  return lowered;
}

}  // namespace stashscope
