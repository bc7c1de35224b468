#pragma once

#include <QString>

#include "core/memory/node_memory.h"
#include "core/study/step/study.h"

namespace stashscope::ui {

/// The words for the memory of a box, the same in its label and in its tool tip.

/// `allocates 3.06 MiB`
QString allocated_text(const NodeMemory& memory);
/// `stashes 3.06 MiB`
QString stashed_text(const NodeMemory& memory);

/// What a box allocates and stashes, on one line. Empty if it allocates nothing.
QString memory_text(const NodeMemory& memory);

/// A text such as `output in the memory of make_x`; `full_name` chooses between the full name of
/// the node that makes the memory and the last part of that name. Empty unless the first output is
/// a view or computed in place.
QString borrowed_text(const Study& study, NodeId node, bool full_name);

}  // namespace stashscope::ui
