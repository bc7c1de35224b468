#pragma once

#include "core/study/choices/choices.h"

namespace stashscope {

/// The update that the step counts: the chosen one, or none if the step is a captured one that
/// holds its own optimizer.
UpdateChoice effective_update(const Graph& graph, const UpdateChoice& chosen);

}  // namespace stashscope
