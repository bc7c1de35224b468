#pragma once

#include <filesystem>
#include <iosfwd>

#include "core/base/progress.h"
#include "core/layout/placement.h"

namespace stashscope::layout {

/// The hidden option that makes the program a layout child.
constexpr const char* child_option = "--layout-child";

/// What the child does: reads one request, lets Graphviz place it, writes the result. Throws a run
/// Error for an unreadable request.
void serve_layout(std::istream& in, std::ostream& out);

/// Has `program` place the request in a child process, so that a crash or endless computation stays
/// there. Throws a run Error when it fails, a cancelled one (after killing it) when `progress` is
/// cancelled. Call it off the interface thread.
LayoutResult place_in_child(const std::filesystem::path& program, const LayoutRequest& request,
                            const Progress& progress);

}  // namespace stashscope::layout
