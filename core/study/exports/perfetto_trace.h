#pragma once

#include <optional>
#include <string>

#include "core/allocator/allocator_settings.h"
#include "core/study/step/study.h"

namespace stashscope {

/// The current step as a trace for Perfetto (ui.perfetto.dev), in protobuf. The trace has a slice
/// for each node, as long as the node takes, and a counter of live bytes. With an allocator, it
/// also has a counter of reserved bytes.
/// The largest value of the live counter is the peak. Times are nanoseconds from the start of the
/// step; nodes run one after the other.
/// @param allocator not set: no counter of reserved bytes
std::string perfetto_trace(const Study& study, const std::optional<AllocatorSettings>& allocator);

}  // namespace stashscope
