#pragma once

#include <chrono>
#include <filesystem>
#include <iosfwd>

#include "core/base/progress.h"
#include "core/layout/place/placement.h"

namespace stashscope::layout {

/// The hidden option that makes the program a layout child.
constexpr const char* child_option = "--layout-child";

/// What the child does: reads one request, lets Graphviz place it, writes the result. Throws a run
/// Error for an unreadable request.
void serve_layout(std::istream& in, std::ostream& out);

/// Larger pictures than we draw take some seconds; what takes longer will hardly ever end.
constexpr std::chrono::seconds layout_time_limit{60};

/// Has `program` place the request in a child process, so that a crash or endless computation stays
/// there. Throws an Error when it fails or (after killing it) takes longer than `limit`, a
/// cancelled one (after killing it) when `progress` is cancelled. Call it off the interface thread.
LayoutResult place_in_child(const std::filesystem::path& program, const LayoutRequest& request,
                            const Progress& progress,
                            std::chrono::milliseconds limit = layout_time_limit);

}  // namespace stashscope::layout
