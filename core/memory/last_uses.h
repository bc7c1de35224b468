#pragma once

#include <cstdint>
#include <vector>

#include "core/memory/buffers.h"

namespace stashscope {

/// By value: the last slot of `order` that reads or makes the value, or during which a captured
/// step holds its storage.
IdVector<ValueId, std::uint32_t> last_uses(const Dataflow& dataflow, const BufferRules& rules,
                                           const std::vector<NodeId>& order);

}  // namespace stashscope
