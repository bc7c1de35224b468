#pragma once

#include "core/layout/place/placement.h"

namespace stashscope::layout {

/// SourceOrder columns with Graphviz's `dot`. The library is not safe to use from threads, cannot
/// be cancelled and changes the process's locale: only the layout child may call this. Returns a
/// placer that keeps the library open. Throws a run Error when it refuses.
Placer graphviz_placer();

}  // namespace stashscope::layout
