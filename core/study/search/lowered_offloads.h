#pragma once

#include "core/study/choices/choices.h"

namespace stashscope {

/// The entries of `asked` that offload tensors and that `planned` lacks or has otherwise: to fit
/// the host, a search lowers their counts. Empty if the host's memory has no limit, or if `planned`
/// has a planned sequence.
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
