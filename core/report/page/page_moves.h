#pragma once

#include "core/report/report.h"

namespace stashscope {

/// Adds the best next moves to the input of a page, unless a move would start the search for an
/// order again or drop the planned sequence. For a large graph, fewer moves are tried, so that the
/// search takes a few seconds at most.
void add_moves(ReportInput& input);

}  // namespace stashscope
