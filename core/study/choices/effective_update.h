#pragma once

#include "core/study/choices/choices.h"

namespace stashscope {

/// The optimizer choice that the step uses: `chosen`, or no optimizer for a captured step that
/// already contains one. Throws a usage Error if gradients are to be released early, but are added
/// up over micro-batches.
UpdateChoice effective_update(const Graph& graph, const UpdateChoice& chosen);

}  // namespace stashscope
