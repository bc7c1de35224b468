#pragma once

#include <cstdint>
#include <vector>

#include "core/base/progress.h"
#include "core/study/step/study.h"

namespace stashscope {

/// A row of the plan table that is not fully on, and the effect of switching it on.
struct NextMove {
  std::size_t row = 0;           ///< see `plan_row`
  Choices after;                 ///< the choices with the row on
  std::int64_t peak_change = 0;  ///< of the current step, in bytes; below 0
  double seconds_change = 0;     ///< of the current step
};

/// The moves that lower the peak most for their time, best first. The numbers come from the study
/// of each move's choices, so they are exact. Of the rows whose plan types ONNX Runtime knows,
/// tries those that free most at the peak. No move is listed if another row that was tried lowers
/// the peak at least as much for less time, or more for the same time. None for a searched order,
/// in which a move would start the search again, nor for a planned sequence, which a move would
/// drop. Throws when cancelled.
/// @param most the number of moves
/// @param most_tried the number of rows to try
std::vector<NextMove> next_moves(const Study& study, std::size_t most, const Progress& progress,
                                 std::size_t most_tried = 64);

}  // namespace stashscope
