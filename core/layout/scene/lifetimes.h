#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/memory/timeline.h"

namespace stashscope::layout {

/// Lifetimes in quarters of the step: up to one quarter, up to two, ...
constexpr std::size_t lifetime_classes = 4;

/// The class of a lifetime. @pre 0 < slots <= steps
inline std::size_t lifetime_class(std::size_t slots, std::size_t steps) {
  return (slots * lifetime_classes - 1) / steps;
}

/// Bytes by lifetime class.
using LifetimeBytes = std::array<std::int64_t, lifetime_classes>;

/// The nodes with a tensor in memory at a slot: the node that runs then, and those whose outputs
/// lie in a buffer that is alive.
IdVector<NodeId, bool> nodes_alive_at(const Dataflow& dataflow, const Timeline& timeline,
                                      std::size_t slot);

}  // namespace stashscope::layout
