#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/memory/timeline.h"

namespace stashscope::layout {

/// The number of lifetime classes: up to one quarter of the step, up to two quarters, ...
constexpr std::size_t lifetime_classes = 4;

/// The class of a lifetime of `length` slots in a step of `steps` slots. @pre 0 < length <= steps
inline std::size_t lifetime_class(std::size_t length, std::size_t steps) {
  return (length * lifetime_classes - 1) / steps;
}

/// Bytes by lifetime class.
using LifetimeBytes = std::array<std::int64_t, lifetime_classes>;

/// Whether each node has a tensor in memory at a slot. This holds for the node that runs at the
/// slot and for nodes with an output in a buffer that is alive.
IdVector<NodeId, bool> nodes_alive_at(const Dataflow& dataflow, const Timeline& timeline,
                                      std::size_t slot);

}  // namespace stashscope::layout
