#pragma once

#include <chrono>
#include <filesystem>
#include <iosfwd>

#include "core/base/progress.h"
#include "core/layout/place/placement.h"

namespace stashscope::layout {

/// The hidden option that makes the program a layout process, which only computes the layout of a
/// request.
constexpr const char* child_option = "--layout-child";

/// The work of the child process: reads one request, computes its layout with Graphviz and writes
/// the result. Throws a run Error for an unreadable request or if Graphviz fails.
void serve_layout(std::istream& in, std::ostream& out);

/// Time limit of a layout. The largest pictures take a few seconds; a layout that takes longer than
/// this limit is unlikely to finish.
constexpr std::chrono::seconds layout_time_limit{60};

/// Starts `program` as a child process, which computes the layout of the request. Thus a crash or
/// an endless computation cannot affect the caller. Throws an Error if the child fails. If the
/// child takes longer than `limit`, kills the child and throws a run Error. If `progress` is
/// cancelled, kills the child and throws a cancelled Error. Blocks, so do not call it on the
/// interface thread.
LayoutResult place_in_child(const std::filesystem::path& program, const LayoutRequest& request,
                            const Progress& progress,
                            std::chrono::milliseconds limit = layout_time_limit);

}  // namespace stashscope::layout
