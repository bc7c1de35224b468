#pragma once

#include <cstdint>
#include <limits>

#include "core/schedule/tasks/run_sequence.h"
#include "core/schedule/tasks/search_limit.h"

namespace stashscope {

/// Changes of a sequence that add or take out runs; each is to be kept or undone as a whole. False
/// when the move found nothing to change.
class RecomputeMoves {
 public:
  /// @param keeps_order the first run of each task stays
  RecomputeMoves(RunSequence& state, SearchRandom& random, bool keeps_order = false)
      : state_(state), random_(random), keeps_order_(keeps_order) {}

  /// Moves fail as soon as the sequence costs more than this.
  void allow(double most_cost) {
    most_cost_ = most_cost;
    is_too_dear_ = false;
  }

  /// Runs some task again in front of one of its readers.
  bool repeat_any();
  /// Runs a task again whose item lives through the peak without being read there.
  bool repeat_over_peak();
  /// Takes out a run that is not needed, with runs that only it read from.
  bool remove_any();
  /// Takes out a run, then repeats others while the peak is above the budget.
  bool replace_any(std::int64_t budget_bytes);

 private:
  /// How far a repeated run draws others after it.
  struct Reach {
    int runs;                ///< at most, in all
    double share_of_inputs;  ///< that live no more; the others live on until they are read
  };
  Reach random_reach();
  bool repeat_before(TaskId task, std::uint32_t slot, Reach& reach);
  bool remove(TaskId task, std::size_t run);

  RunSequence& state_;
  SearchRandom& random_;
  bool keeps_order_;
  double most_cost_ = std::numeric_limits<double>::infinity();
  bool is_too_dear_ = false;
};

}  // namespace stashscope
