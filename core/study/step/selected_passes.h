#pragma once

#include "core/passes/pass_selection.h"
#include "core/study/choices/choices.h"

namespace stashscope {

/// The passes that these choices ask for.
PassSelection selected_passes(const GraphChoices& choices);

}  // namespace stashscope
