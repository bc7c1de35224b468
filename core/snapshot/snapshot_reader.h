#pragma once

#include "core/snapshot/memory_snapshot.h"
#include "core/snapshot/pickle_document.h"

namespace stashscope {

/// The snapshot that a pickle has: a dict with segments, or only the list of segments. Throws an
/// input Error that names the segment or event.
MemorySnapshot snapshot_in(const PickleDocument& document, MemoryBudget& budget);

}  // namespace stashscope
