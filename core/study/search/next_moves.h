#pragma once

#include <cstdint>
#include <vector>

#include "core/base/progress.h"
#include "core/study/step/study.h"

namespace stashscope {

/// A row of the plan table that is not fully on, and the effect of switching the row on.
struct NextMove {
  std::size_t row = 0;           ///< see `plan_row`
  Choices after;                 ///< the choices with the row on
  std::int64_t peak_change = 0;  ///< change of the current step's peak in bytes; below 0
  double seconds_change = 0;     ///< change of the current step's time
};

/// The moves that lower the peak most for their time, best first. The numbers come from the study
/// of each move's choices, so the numbers are exact. Of the rows whose plan types ONNX Runtime
/// knows, tries the rows that free most at the peak. No move is listed if another row that was
/// tried lowers the peak at least as much for less time, or more for the same time. Empty for a
/// searched order, because a move would start the search again, and for a planned sequence, because
/// a move would drop it. Throws a cancelled Error when cancelled.
/// @param most the largest number of moves to return
/// @param most_tried the largest number of rows to try
std::vector<NextMove> next_moves(const Study& study, std::size_t most, const Progress& progress,
                                 std::size_t most_tried = 64);

}  // namespace stashscope
