#include "core/study/search/replanned_fit.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "core/base/error.h"
#include "core/study/choices/host_limit.h"
#include "core/study/edits/edits.h"
#include "core/study/search/device_fit.h"
#include "core/study/search/fit_needs.h"
#include "core/study/search/largest_value.h"
#include "core/study/search/plan_evaluator.h"
#include "core/study/search/planning_basis.h"
#include "core/study/step/plan_effects.h"

namespace stashscope {

namespace {

using StudyPointer = std::shared_ptr<const Study>;

/// The choices without the plans that planners choose, without moves and planned sequence, and in
/// an order that takes no search.
Choices to_plan_from(const Study& study) {
  Choices choices = without_search(study, study.choices);
  if (choices.plans.sequence) forget_planned(choices);
  choices.plans.config = kept_by_planners(choices.plans.config);
  choices.plans.level = 0;
  choices.order.moves.clear();
  return choices;
}

/// The choices of `LargestFit::baseline`: without any plans, in the file's order.
Choices bare(Choices choices) {
  choices.plans.config.clear();
  choices.plans.level = 0;
  choices.plans.sequence.reset();
  choices.order = {};
  choices.fusion = {};
  return choices;
}

class Replanner {
 public:
  Replanner(const Study& study, const LargestFit& known, const ReplanRequest& request,
            const Progress& progress, const OnReplan& on_replan)
      : study_(study), known_(known), progress_(progress), on_replan_(on_replan) {
    answer_.request = request;
    answer_.memory_bytes = memory();
    answer_.device_bytes = known.question.device_bytes;
  }

  ReplannedFit run() {
    try {
      take_known();
      set_up();
      search();
      cheapen();
      search_order();
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::cancelled) throw;
      answer_.is_stopped = true;
    }
    return std::move(answer_);
  }

 private:
  std::int64_t memory() const { return known_.question.memory_bytes; }

  Choices with_value(Choices choices, std::int64_t value) const {
    for (const Dimension& each : known_.dimensions) {
      choices = with_dimension(study_, std::move(choices), each, value);
    }
    return choices;
  }

  StudyPointer study_with(const Choices& choices) const {
    // Measured times hold only for the sizes that ran.
    const bool is_measured = study_.times->measured > 0;
    return compute_study(study_.model, choices, is_measured ? nullptr : &study_, progress_);
  }

  void report(std::int64_t value) {
    const double share = answer_.trials / (answer_.trials + 4.0);
    progress_.update(share, "largest size with a plan made for it");
    if (on_replan_) on_replan_(value, answer_.largest);
  }

  /// Takes the study as the answer for a size, if it fits and the host has room for its plans.
  bool take(std::int64_t value, const Study& planned) {
    const auto needs = needs_if_it_fits(planned, planned.current->timeline, known_.question);
    if (!needs || !keeps_host(planned.choices, planned.current->host_bytes)) return false;
    PlannedFit fit{value, planned.choices};
    for (const std::string& pass : planned.choices.graph.passes) {
      if (!study_.choices.graph.passes.contains(pass)) fit.passes.push_back(&find_pass(pass));
    }
    fit.peak_bytes = needs->peak_bytes;
    fit.later_peak_bytes = needs->later_peak_bytes;
    fit.reserved_bytes = needs->reserved_bytes;
    fit.device = needs->device;
    fit.host_bytes = planned.current->host_bytes;
    fit.seconds = step_seconds(planned, *planned.current);
    fit.extra_seconds = extra_seconds(planned);
    answer_.largest = std::move(fit);
    return true;
  }

  /// Starts from the larger of two known sizes: the largest that fits with the plans that are on,
  /// and the largest that fits without plans.
  void take_known() {
    const auto& current = known_.current.largest;
    const auto& baseline = known_.baseline.largest;
    answer_.is_unlimited = known_.current.is_unlimited || known_.baseline.is_unlimited;
    const bool is_bare = baseline && (!current || baseline->value > current->value);
    if (!current && !baseline) return;
    const std::int64_t value = is_bare ? baseline->value : current->value;
    report(value);
    const Choices choices = is_bare ? bare(study_.choices) : study_.choices;
    take(value, *study_with(with_value(choices, value)));
  }

  /// Passes are tried at the largest size known to fit, because at other sizes another tensor may
  /// make the peak.
  void set_up() {
    if (answer_.is_unlimited) return;
    base_ = to_plan_from(study_);
    const StudyPointer start =
        study_with(answer_.largest ? with_value(base_, answer_.largest->value) : base_);
    std::vector<const GraphPass*> passes;
    base_.graph.passes = with_free_passes(*start, progress_, passes).graph.passes;
  }

  void search() {
    if (answer_.is_unlimited) return;
    const auto first =
        answer_.largest ? std::optional(answer_.largest->value) : common_value(known_.dimensions);
    const LargestValue found =
        largest_value([this](std::int64_t value) { return attempt(value); }, first);
    answer_.refused_value = found.refused;
    answer_.is_unlimited = found.fits && *found.fits + 256 > most_value;
    if (found.fails) answer_.next = failed_.at(*found.fails);
  }

  /// Assumes that sizes below a size that fits also fit, and that sizes above a size that does not
  /// fit do not fit either. This saves searches: each search that fails takes its whole limit.
  Trial attempt(std::int64_t value) {
    if (answer_.largest && value <= answer_.largest->value) {
      return {Verdict::fits, next_guess(answer_.largest->value)};
    }
    if (!failed_.empty() && value >= failed_.begin()->first) {
      const UnplannedSize& smaller = failed_.begin()->second;
      failed_[value] = {.value = value, .bound_bytes = smaller.bound_bytes, .fault = smaller.fault};
      return {Verdict::too_large, guess_};
    }
    report(value);
    ++answer_.trials;
    try {
      return attempt(value, *study_with(with_value(base_, value)));
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::usage) return {};
      if (error.kind() != ErrorKind::input) throw;
      failed_[value] = {.value = value, .fault = clause_of(error)};
      return {Verdict::too_large, {}};
    }
  }

  Trial attempt(std::int64_t value, const Study& study) {
    if (take(value, study)) return {Verdict::fits, next_guess(value)};
    const std::int64_t held = held_bytes(study.baseline->timeline);
    if (held > memory()) return too_large(study, {value, held}, held);
    const BudgetAnswer answer = plan(study, true);
    if (answer.feasible && take(value, *study_with(answer.best.choices))) {
      return {Verdict::fits, next_guess(value)};
    }
    progress_.update(0, "");  // throws if cancelled: a cancelled search decides nothing
    const std::int64_t lowest = answer.best.peak_bytes;
    const std::int64_t later = std::max(lowest, answer.later_peak_bytes);
    if (!answer.is_impossible()) {
      return too_large(study, {value, {}, lowest, later, answer.reserved_bytes, answer.device},
                       answer.reserved_bytes.value_or(lowest));
    }
    return too_large(study, {value, answer.floor->bytes}, answer.floor->bytes);
  }

  Trial too_large(const Study& study, const UnplannedSize& size, std::int64_t bytes) {
    failed_[size.value] = size;
    guess_ = guess_from(size.value, bytes, persistent_bytes(study.baseline->timeline));
    return {Verdict::too_large, guess_};
  }

  /// Estimates the size with which the step needs exactly the memory. The size `value` needs
  /// `bytes`. These bytes, less the persistent bytes, are assumed to be proportional to the size.
  std::optional<std::int64_t> guess_from(std::int64_t value, std::int64_t bytes,
                                         std::int64_t persistent) const {
    if (memory() <= persistent || bytes <= persistent) return std::nullopt;
    const double share =
        static_cast<double>(memory() - persistent) / static_cast<double>(bytes - persistent);
    const auto guess = static_cast<std::int64_t>(share * static_cast<double>(value));
    return guess > 0 ? std::optional(guess) : std::nullopt;
  }

  /// After a size that fits: the last estimate, or a size that is likely to be too large.
  std::int64_t next_guess(std::int64_t fits) const {
    return guess_ ? std::max(*guess_, fits) : 4 * fits;
  }

  BudgetAnswer plan(const Study& study, bool ends_when_decided) const {
    BudgetRequest request{memory(), answer_.request.grain, answer_.request.limit};
    request.limits_later_steps = true;
    request.ends_when_decided = ends_when_decided;
    request.allocator = known_.question.allocator;
    request.device_bytes = known_.question.device_bytes;
    request.others = known_.question.others;
    ParetoFront archive;
    return plan_for_budget(study, request, archive, progress_);
  }

  /// Searches for a cheaper plan at the largest size, because the earlier search ended at the first
  /// plan that fits.
  void cheapen() {
    if (!answer_.largest || answer_.largest->extra_seconds <= 0 || answer_.is_unlimited) return;
    const std::int64_t value = answer_.largest->value;
    report(value);
    const PlannedFit before = *answer_.largest;
    const BudgetAnswer answer = plan(*study_with(with_value(base_, value)), false);
    const bool is_taken = answer.feasible && take(value, *study_with(answer.best.choices));
    if (is_taken && answer_.largest->seconds > before.seconds) answer_.largest = before;
  }

  /// Plans by cluster were found with the default order. Replaces this order by the searched order
  /// of the study, whose peak is not higher.
  void search_order() {
    if (!answer_.largest || !is_order_searched(study_)) return;
    Choices choices = answer_.largest->choices;
    if (choices.plans.sequence || choices.order == study_.choices.order) return;
    choices.order.strategy = study_.choices.order.strategy;
    take(answer_.largest->value, *study_with(choices));
  }

  const Study& study_;
  const LargestFit& known_;
  const Progress& progress_;
  const OnReplan& on_replan_;
  Choices base_;
  ReplannedFit answer_;
  std::map<std::int64_t, UnplannedSize> failed_;  ///< the sizes without a plan
  std::optional<std::int64_t> guess_;             ///< estimate of the largest size that fits
};

}  // namespace

ReplannedFit replanned_fit(const Study& study, const LargestFit& known,
                           const ReplanRequest& request, const Progress& progress,
                           const OnReplan& on_replan) {
  check_plannable(study, request.grain);
  return Replanner(study, known, request, progress, on_replan).run();
}

}  // namespace stashscope
