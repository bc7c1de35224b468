#pragma once

#include <cstdint>
#include <limits>

#include "core/base/search_limit.h"
#include "core/schedule/tasks/run_sequence.h"

namespace stashscope {

/// Moves that add or remove runs of a sequence. The caller keeps or undoes each move as a whole. A
/// move returns false if it found nothing to change or exceeds the cost limit.
class RecomputeMoves {
 public:
  /// @param keeps_order whether the first runs of the tasks keep their order
  RecomputeMoves(RunSequence& state, SearchRandom& random, bool keeps_order = false)
      : state_(state), random_(random), keeps_order_(keeps_order) {}

  /// Limits the cost of the sequence: a move that exceeds `most_cost` fails.
  void allow(double most_cost) {
    most_cost_ = most_cost;
    is_too_costly_ = false;
  }

  /// Runs a random task again before one of its readers.
  bool repeat_any();
  /// Picks a random item that is live but not read at the peak, and runs its maker again.
  bool repeat_over_peak();
  /// Removes a random run whose readers can read from another run. Also removes the runs whose
  /// results only the removed run read.
  bool remove_any();
  /// Removes a run, then repeats other tasks while the peak is above the budget.
  bool replace_any(std::int64_t budget_bytes);

 private:
  /// Limits on the additional runs that one repeated run causes.
  struct Reach {
    int runs;                ///< largest number of additional runs
    double share_of_inputs;  ///< share of dead inputs to recompute; the other dead inputs live
                             ///< longer instead
  };
  Reach random_reach();
  bool repeat_before(TaskId task, std::uint32_t slot, Reach& reach);
  bool remove(TaskId task, std::size_t run);

  RunSequence& state_;
  SearchRandom& random_;
  bool keeps_order_;
  double most_cost_ = std::numeric_limits<double>::infinity();
  bool is_too_costly_ = false;
};

}  // namespace stashscope
