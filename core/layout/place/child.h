#pragma once

#include <chrono>
#include <filesystem>
#include <iosfwd>

#include "core/base/progress.h"
#include "core/layout/place/placement.h"

namespace stashscope::layout {

/// The hidden option that makes the program a layout child.
constexpr const char* child_option = "--layout-child";

/// The child's work: reads one request, places it with Graphviz, writes the result. Throws a run
/// Error for an unreadable request or if Graphviz fails.
void serve_layout(std::istream& in, std::ostream& out);

/// Time limit of a layout. The largest pictures take a few seconds; a layout that takes longer than
/// this limit is unlikely to finish.
constexpr std::chrono::seconds layout_time_limit{60};

/// Places the request in a child process of `program`, so that a crash or an endless computation
/// cannot affect the caller. Throws an Error if the child fails. Kills the child and throws a run
/// Error if it takes longer than `limit`, or a cancelled Error if `progress` is cancelled. Blocks,
/// so do not call it on the interface thread.
LayoutResult place_in_child(const std::filesystem::path& program, const LayoutRequest& request,
                            const Progress& progress,
                            std::chrono::milliseconds limit = layout_time_limit);

}  // namespace stashscope::layout
