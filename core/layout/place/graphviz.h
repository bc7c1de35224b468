#pragma once

#include "core/layout/place/placement.h"

namespace stashscope::layout {

/// Returns a placer that uses Graphviz's `dot` and keeps the library open. Only the layout child
/// may call this: the library is not thread-safe, cannot be cancelled, and changes the process's
/// locale. Throws a run Error if Graphviz fails.
Placer graphviz_placer();

}  // namespace stashscope::layout
