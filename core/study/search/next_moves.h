#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/progress.h"
#include "core/passes/graph_pass.h"
#include "core/study/step/study.h"

namespace stashscope {

/// A row of the plan table that is not fully on, a graph pass that is off, or a what-if, and the
/// effect of switching it on.
struct NextMove {
  const GraphPass* pass = nullptr;  ///< null: the move is no pass
  const WhatIf* what_if = nullptr;  ///< null: the move is no what-if
  std::string value;                ///< of the what-if
  std::size_t row = 0;              ///< see `plan_row`; 0 for a pass or a what-if
  Choices after;                    ///< the choices with the move made
  std::int64_t peak_change = 0;     ///< change of the current step's peak in bytes; below 0
  double seconds_change = 0;        ///< change of the current step's time
  /// Bytes that the chosen allocator reserves after the move. Not set if no allocator is chosen.
  std::optional<std::int64_t> reserved_bytes = {};
};

/// How many moves are tried. Trying a move takes as long as computing the study. Finding the passes
/// takes one more shape inference for each pass that is off.
struct MoveLimits {
  std::size_t rows = 64;
  std::size_t passes = 64;  ///< 0: what-ifs are not tried either
};

/// The pass or the what-if of a move in words. Empty for a row.
std::string title_of(const NextMove& move);
/// What the pass or the what-if does. Empty for a row.
std::string description_of(const NextMove& move);
/// The option that switches on the pass or the what-if. Empty for a row.
std::string option_of(const NextMove& move);

/// The moves that lower the peak by the most bytes for each second that they add, best first. The
/// numbers come from the study of each move's choices, so the numbers are exact. Of the rows of
/// `PlanTable::plans`, tries those that free most at the peak. Also tries `passes_to_try` and the
/// values in `WhatIf::tried`, but lists no pass or what-if that frees less than a thousandth of the
/// peak, because most passes free a little. A move is left out if another move that was tried
/// lowers the peak at least as much in less time, or lowers the peak more in the same time. A value
/// of a what-if is left out if an earlier value frees about as much and is not slower. Empty for a
/// searched order, because a move would start the search again, and for a planned sequence, because
/// a move would drop it. Throws a cancelled Error when cancelled.
/// @param most the largest number of moves to return
std::vector<NextMove> next_moves(const Study& study, std::size_t most, const Progress& progress,
                                 const MoveLimits& limits = {});

/// At most `most` passes that keep the model's outputs, are off and would change the model. None if
/// passes may not change the graph (`can_change_graph`).
std::vector<const GraphPass*> passes_to_try(const Study& study, std::size_t most,
                                            const Progress& progress = {});

}  // namespace stashscope
