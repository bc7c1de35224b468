#include "core/study/search/next_moves.h"

#include <algorithm>

#include "core/study/edits/edits.h"
#include "core/study/search/plan_evaluator.h"

namespace stashscope {

namespace {

bool is_fully_applied(const PlanRow& row) {
  return row.occurrences == nullptr || row.applied == static_cast<int>(row.occurrences->size());
}

/// At most `most` rows that are not fully applied and save memory, by descending bytes at the peak
/// of the step without plans.
std::vector<std::size_t> candidates(const Study& study, std::size_t most) {
  const std::vector<PlanRow>& rows = study.plan_table->plans;
  std::vector<std::size_t> found;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (!is_fully_applied(rows[row]) && rows[row].saving_bytes > 0) found.push_back(row);
  }
  std::ranges::stable_sort(found, std::greater(), [&](std::size_t row) {
    return std::pair(rows[row].bytes_at_peak, rows[row].saving_bytes);
  });
  found.resize(std::min(found.size(), most));
  return found;
}

bool dominates(const NextMove& a, const NextMove& b) {
  return a.peak_change <= b.peak_change && a.seconds_change <= b.seconds_change &&
         (a.peak_change < b.peak_change || a.seconds_change < b.seconds_change);
}

/// Whether `a` frees more bytes per additional second than `b`. Moves that add no time come first.
bool is_cheaper(const NextMove& a, const NextMove& b) {
  return static_cast<double>(a.peak_change) * std::max(b.seconds_change, 0.0) <
         static_cast<double>(b.peak_change) * std::max(a.seconds_change, 0.0);
}

}  // namespace

std::vector<NextMove> next_moves(const Study& study, std::size_t most, const Progress& progress,
                                 std::size_t most_tried) {
  if (is_order_searched(study) || study.choices.plans.sequence) return {};
  const std::int64_t peak = study.current->timeline.peak_bytes;
  const double seconds = extra_seconds(study);
  std::vector<NextMove> moves;
  for (const std::size_t row : candidates(study, most_tried)) {
    Choices after = with_plan(study, study.choices, study.plan_table->plans[row], true);
    const auto moved = compute_study(study.model, after, &study, progress);
    const std::int64_t change = moved->current->timeline.peak_bytes - peak;
    if (change >= 0) continue;
    moves.push_back({row, std::move(after), change, extra_seconds(*moved) - seconds});
  }
  std::vector<NextMove> best;
  for (const NextMove& move : moves) {
    const bool is_dominated =
        std::ranges::any_of(moves, [&](const NextMove& other) { return dominates(other, move); });
    if (!is_dominated) best.push_back(move);
  }
  std::ranges::stable_sort(best, is_cheaper);
  best.resize(std::min(best.size(), most));
  return best;
}

}  // namespace stashscope
