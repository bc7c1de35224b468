#pragma once

#include "core/study/choices/choices.h"

namespace stashscope {

/// The optimizer choice in force: `chosen`, or none for a captured step that holds its own
/// optimizer.
UpdateChoice effective_update(const Graph& graph, const UpdateChoice& chosen);

}  // namespace stashscope
