#pragma once

#include <cstdint>
#include <vector>

#include "core/memory/buffers.h"
#include "core/memory/copy_schedule.h"

namespace stashscope {

/// For each value, the last slot of `order` that needs the value. A slot needs a value if its node
/// reads or makes the value, if a captured step holds the value's storage during the slot, or if
/// the value is copied to the host beside the slot's node.
IdVector<ValueId, std::uint32_t> last_uses(const Dataflow& dataflow, const BufferRules& rules,
                                           const std::vector<NodeId>& order,
                                           const CopySchedule& copies = {});

}  // namespace stashscope
