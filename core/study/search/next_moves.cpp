#include "core/study/search/next_moves.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/passes/pass_effects.h"
#include "core/study/choices/zero_dims.h"
#include "core/study/edits/edits.h"
#include "core/study/reserved/reserved_memory.h"
#include "core/study/search/peak_changes.h"
#include "core/study/step/selected_passes.h"
#include "core/study/step/sized_model.h"

namespace stashscope {

namespace {

/// A pass or a what-if is a move only if it frees at least 1 / `least_share_of_pass` of the peak.
constexpr std::int64_t least_share_of_pass = 1000;

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

/// Whether `b` is a value of the same what-if as `a`, frees hardly more than `a` and is not faster.
/// @param unit bytes that make no difference
bool repeats(const NextMove& a, const NextMove& b, std::int64_t unit) {
  return a.what_if != nullptr && a.what_if == b.what_if && a.peak_change <= b.peak_change + unit &&
         a.seconds_change <= b.seconds_change;
}

/// Whether `a` frees more bytes per additional second than `b`. A move that adds no time comes
/// before a move that adds time. Of two moves that add no time, the one that frees more comes
/// first; if both free about as much, the faster one.
/// @param unit bytes that make no difference between two moves that add no time
bool is_cheaper(const NextMove& a, const NextMove& b, std::int64_t unit) {
  const bool is_free = a.seconds_change <= 0;
  if (is_free != (b.seconds_change <= 0)) return is_free;
  if (is_free) {
    return std::pair(a.peak_change / unit, a.seconds_change) <
           std::pair(b.peak_change / unit, b.seconds_change);
  }
  return static_cast<double>(a.peak_change) * b.seconds_change <
         static_cast<double>(b.peak_change) * a.seconds_change;
}

Choices with_pass(Choices choices, const GraphPass& pass) {
  choices.graph.passes.emplace(pass.name);
  return choices;
}

/// Computes the effects of moves, and keeps the moves that lower the peak.
class MoveTrial {
 public:
  MoveTrial(const Study& study, const Progress& progress) : study_(study), progress_(progress) {}

  void try_row(std::size_t row) {
    Choices after = with_plan(study_, study_.choices, study_.plan_table->plans[row], true);
    const auto moved = study_of(after);
    NextMove move;
    move.row = row;
    move.after = std::move(after);
    move.seconds_change = extra_seconds(*moved) - extra_seconds(study_);
    add(std::move(move), *moved);
  }

  void try_pass(const GraphPass& pass) {
    NextMove move;
    move.pass = &pass;
    move.after = with_pass(study_.choices, pass);
    try_other_graph(std::move(move));
  }

  void try_what_if(const WhatIf& what_if, std::string_view value) {
    NextMove move;
    move.what_if = &what_if;
    move.value = value;
    move.after = with_what_if(study_.choices, what_if.name, move.value);
    if (move.after != study_.choices) try_other_graph(std::move(move));
  }

  /// The moves that no other move dominates, without passes and what-ifs that free almost nothing,
  /// and without values of a what-if that repeat an earlier value.
  std::vector<NextMove> best() const {
    const std::int64_t least = study_.current->timeline.peak_bytes / least_share_of_pass;
    std::vector<NextMove> best;
    for (const NextMove& move : moves_) {
      const bool is_row = move.pass == nullptr && move.what_if == nullptr;
      if (!is_row && -move.peak_change < least) continue;
      const bool is_dominated = std::ranges::any_of(
          moves_, [&](const NextMove& other) { return dominates(other, move); });
      const bool is_repeated = std::ranges::any_of(
          best, [&](const NextMove& other) { return repeats(other, move, least); });
      if (!is_dominated && !is_repeated) best.push_back(move);
    }
    return best;
  }

 private:
  std::shared_ptr<const Study> study_of(const Choices& after) const {
    return compute_study(study_.model, after, &study_, progress_);
  }

  /// Adds no move if its study cannot be computed, for example because the choices name nodes that
  /// the move replaces.
  void try_other_graph(NextMove move) {
    try {
      const auto moved = study_of(move.after);
      if (!has_same_sizes(*moved)) return;
      move.seconds_change =
          step_seconds(*moved, *moved->current) - step_seconds(study_, *study_.current);
      add(std::move(move), *moved);
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::cancelled) throw;
    }
  }

  /// Whether a step has the sizes of the study. A step in micro-batches may assume a larger batch.
  bool has_same_sizes(const Study& moved) const {
    const std::vector<Dimension>& own = study_.sizes->dims.dimensions;
    return std::ranges::all_of(moved.sizes->dims.dimensions, [&](const Dimension& each) {
      const auto same = std::ranges::find(own, each.name, &Dimension::name);
      return same == own.end() || same->value == each.value;
    });
  }

  void add(NextMove move, const Study& moved) {
    move.peak_change = moved.current->timeline.peak_bytes - study_.current->timeline.peak_bytes;
    if (move.peak_change < 0) moves_.push_back(std::move(move));
  }

  const Study& study_;
  const Progress& progress_;
  std::vector<NextMove> moves_;
};

/// Plays the step after each move through the chosen allocator.
void add_reserved(const Study& study, std::vector<NextMove>& moves, const Progress& progress) {
  const auto settings = allocator_settings(study.choices);
  if (!settings) return;
  for (NextMove& move : moves) {
    const auto moved = compute_study(study.model, move.after, &study, progress);
    move.reserved_bytes = reserved_memory(*moved, *moved->current, *settings).reserved_bytes;
  }
}

}  // namespace

std::string title_of(const NextMove& move) {
  if (move.pass != nullptr) return std::string(move.pass->title);
  return move.what_if != nullptr ? move.what_if->words(move.value) : "";
}

std::string description_of(const NextMove& move) {
  if (move.pass != nullptr) return std::string(move.pass->description);
  return move.what_if != nullptr ? std::string(move.what_if->description) : "";
}

std::string option_of(const NextMove& move) {
  if (move.pass != nullptr) return "--pass " + std::string(move.pass->name);
  return move.what_if != nullptr ? "--what-if " + std::string(move.what_if->name) + "=" + move.value
                                 : "";
}

std::vector<NextMove> next_moves(const Study& study, std::size_t most, const Progress& progress,
                                 const MoveLimits& limits) {
  if (!can_try_rows(study)) return {};
  MoveTrial trial(study, progress);
  for (const std::size_t row : candidates(study, limits.rows)) trial.try_row(row);
  for (const GraphPass* const pass : passes_to_try(study, limits.passes, progress)) {
    trial.try_pass(*pass);
  }
  if (limits.passes > 0 && can_change_graph(study)) {
    for (const WhatIf& what_if : what_ifs()) {
      for (const std::string_view value : what_if.tried) trial.try_what_if(what_if, value);
    }
  }
  std::vector<NextMove> best = trial.best();
  const std::int64_t unit =
      std::max<std::int64_t>(1, study.current->timeline.peak_bytes / least_share_of_pass);
  std::ranges::stable_sort(
      best, [unit](const NextMove& a, const NextMove& b) { return is_cheaper(a, b, unit); });
  best.resize(std::min(best.size(), most));
  add_reserved(study, best, progress);
  return best;
}

std::vector<const GraphPass*> passes_to_try(const Study& study, std::size_t most,
                                            const Progress& progress) {
  if (!can_change_graph(study)) return {};
  const GraphChoices& choices = study.choices.graph;
  return passes_with_effect(sized_model(*study.model, choices, zero_dims(study.choices.dims)),
                            choices.goal, selected_passes(choices), most, progress);
}

}  // namespace stashscope
