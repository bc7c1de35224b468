#pragma once

#include <cstdint>
#include <vector>

#include "core/memory/buffers.h"
#include "core/memory/copy_schedule.h"

namespace stashscope {

/// By value: the last slot of `order` that reads or makes the value, during which a captured step
/// holds its storage, or beside which a copy of the value to the host runs.
IdVector<ValueId, std::uint32_t> last_uses(const Dataflow& dataflow, const BufferRules& rules,
                                           const std::vector<NodeId>& order,
                                           const CopySchedule& copies = {});

}  // namespace stashscope
