#include "core/study/joint/combinations.h"

#include <algorithm>
#include <array>
#include <optional>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/graph/micro_batches.h"
#include "core/passes/what_if/micro_batches.h"
#include "core/study/choices/micro_batch_sizes.h"
#include "core/study/search/device_fit.h"
#include "core/study/search/next_moves.h"
#include "core/study/search/plan_evaluator.h"

namespace stashscope {

namespace {

constexpr std::size_t most_combinations = 64;
/// Differences of less than the peak divided by this number do not count when values of a what-if
/// are compared.
constexpr std::int64_t least_share = 1000;
constexpr std::int64_t most_micro_batches = 64;

/// A value of a what-if and the step with it.
struct TriedValue {
  const WhatIf* what_if = nullptr;
  std::string value;
  Combination step;
};

/// A combination before its step is computed.
struct Sketch {
  WhatIfChoices what_ifs;
  double peak_bytes = 0;  ///< estimated
  double seconds = 0;     ///< estimated
};

Combination combination_of(const std::shared_ptr<const Study>& study) {
  const Variant& step = *study->current;
  return {study, step.timeline.peak_bytes, step_seconds(*study, step)};
}

std::int64_t stash_of(const Combination& step) {
  return stashed_bytes(step.study->baseline->timeline, step.study->opportunities->stashed);
}

/// Whether step `a` has about as low a peak and as few stashed bytes as step `b` and is not slower.
bool is_as_good(const Combination& a, const Combination& b) {
  const std::int64_t unit = b.peak_bytes / least_share;
  return a.peak_bytes <= b.peak_bytes + unit && stash_of(a) <= stash_of(b) + unit &&
         a.seconds <= b.seconds;
}

std::optional<std::int64_t> size_of(const Study& study, const std::string& dimension) {
  const std::vector<Dimension>& all = study.sizes->dims.dimensions;
  const auto found = std::ranges::find(all, dimension, &Dimension::name);
  if (found == all.end()) return std::nullopt;
  return found->value;
}

/// The smallest numbers of micro-batches that divide a batch, at most six.
std::vector<std::int64_t> divisors(std::int64_t batch) {
  constexpr std::size_t most = 6;
  std::vector<std::int64_t> found;
  for (std::int64_t each = 2; each <= std::min(batch, most_micro_batches); ++each) {
    if (batch % each == 0 && found.size() < most) found.push_back(each);
  }
  return found;
}

class CombinationFinder {
 public:
  CombinationFinder(const Study& study, const CombinationRequest& request, const Progress& progress)
      : study_(study), request_(request), progress_(progress), clock_(request.limit, progress) {
    cancel_at(1, timed_);
  }

  Combinations run() {
    found_.all.push_back(own_combination(study_));
    own_ = found_.all.front();
    if (!can_change_graph(study_)) return std::move(found_);
    base_ = own_.study->choices;
    try {
      switch_passes_on();
      for (const WhatIf& each : what_ifs()) try_values(each);
      combine();
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::cancelled || progress_.cancelled()) throw;
      found_.is_complete = false;
      if (found_.all.size() == 1) found_.passes.clear();
      add_tried();
    }
    return std::move(found_);
  }

 private:
  /// Makes `progress` cancel its computation when the search is cancelled, or once this share of
  /// the limit is used.
  void cancel_at(double share, Progress& progress) {
    progress = Progress([this, share, &progress](double, std::string_view) {
      if (progress_.cancelled() || clock_.used(0) >= share) progress.cancel();
    });
  }

  /// Switches on passes in every combination but the first. These are the passes of `passes_to_try`
  /// with `GraphPass::among_all`, if together they lower the peak of the step without plans and add
  /// no time; otherwise, the passes of `with_free_passes`.
  void switch_passes_on() {
    if (take_all_passes()) return;
    constexpr double share = 0.5;  // of the limit
    Progress until_share;
    cancel_at(share, until_share);
    try {
      with_free_passes(*own_.study, until_share, found_.passes);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::cancelled || progress_.cancelled()) throw;
      found_.is_complete = false;
    }
    if (!found_.passes.empty()) {
      take_passes(combination_of(compute_study(study_.model, with_passes(), nullptr, progress_)));
    }
  }

  Choices with_passes() const {
    Choices choices = base_;
    for (const GraphPass* const pass : found_.passes) choices.graph.passes.emplace(pass->name);
    return choices;
  }

  void take_passes(Combination step) {
    own_ = std::move(step);
    base_ = own_.study->choices;
    found_.all.push_back(own_);
  }

  /// Switches on the passes of `passes_to_try` with `GraphPass::among_all`, if together they lower
  /// the peak and add no time. Returns whether they do.
  bool take_all_passes() {
    constexpr std::size_t most = 64;
    found_.passes = passes_to_try(*own_.study, most, timed_);
    std::erase_if(found_.passes, [](const GraphPass* pass) { return !pass->among_all; });
    if (found_.passes.empty()) return false;
    try {
      Combination step = combination_of(study_of(with_passes()));
      if (step.peak_bytes < own_.peak_bytes && step.seconds <= own_.seconds) {
        take_passes(std::move(step));
        return true;
      }
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::cancelled) throw;
    }
    found_.passes.clear();
    return false;
  }

  /// Computes the study of `choices`. Keeps the last study, because several callers ask for the
  /// same step one after the other.
  std::shared_ptr<const Study> study_of(const Choices& choices) {
    if (last_ == nullptr || last_->choices != choices) {
      last_ = compute_study(study_.model, choices, nullptr, timed_);
    }
    return last_;
  }

  bool is_on(const WhatIf& what_if, std::string_view value) const {
    const auto chosen = base_.graph.what_ifs.find(std::string(what_if.name));
    return chosen != base_.graph.what_ifs.end() && chosen->second == value;
  }

  void try_values(const WhatIf& what_if) {
    if (what_if.name == micro_batches_name) return try_micro_batches(what_if);
    for (const std::string_view value : what_if.tried) {
      if (!is_on(what_if, value)) try_value(what_if, std::string(value));
    }
  }

  void rule_out(const WhatIf& what_if, const std::string& value, const std::string& reason,
                std::shared_ptr<const Study> with = nullptr) {
    const bool is_told = std::ranges::any_of(
        found_.ruled_out, [&](const RuledOut& each) { return each.what_if == &what_if; });
    if (!is_told) found_.ruled_out.push_back({&what_if, value, reason, std::move(with)});
  }

  /// The step with a value of a what-if. Null if the value changes nothing. If a node of the model
  /// stops the value, also rules it out.
  std::shared_ptr<const Study> step_with(const WhatIf& what_if, const std::string& value) {
    const Choices choices = with_what_if(base_, what_if.name, value);
    return changed_step(what_if, value, choices_with(choices.graph.what_ifs));
  }

  std::shared_ptr<const Study> changed_step(const WhatIf& what_if, const std::string& value,
                                            const Choices& choices) {
    auto with = study_of(choices);
    const WhatIfResult* const result = what_if_result(*with, what_if.name);
    if (result != nullptr && result->changed > 0) return with;
    if (result != nullptr && !result->stopped_by.empty()) {
      const WhatIfStop& stop = result->stopped_by.front();
      rule_out(what_if, value, stop.node + " " + stop.reason);
    }
    return nullptr;
  }

  void rule_out(const WhatIf& what_if, const std::string& value, const Error& error) {
    if (error.kind() == ErrorKind::cancelled) throw error;
    rule_out(what_if, value, error.where() + " " + error.reason());
  }

  /// The choices with these what-ifs. With micro-batches, also chooses the study's batch, because a
  /// step in micro-batches would otherwise assume another batch.
  Choices choices_with(const WhatIfChoices& what_ifs) const {
    Choices choices = base_;
    choices.graph.what_ifs = what_ifs;
    if (batch_ && what_ifs.contains(std::string(micro_batches_name))) choices.dims.insert(*batch_);
    return choices;
  }

  void try_value(const WhatIf& what_if, const std::string& value) {
    try {
      const auto with = step_with(what_if, value);
      if (with != nullptr) keep(what_if, value, combination_of(with));
    } catch (const Error& error) {
      rule_out(what_if, value, error);
    }
  }

  void keep(const WhatIf& what_if, const std::string& value, Combination step) {
    const bool is_repeated = std::ranges::any_of(values_, [&](const TriedValue& each) {
      return each.what_if == &what_if && is_as_good(each.step, step);
    });
    if (is_repeated || is_as_good(own_, step)) return;
    values_.push_back({&what_if, value, std::move(step)});
  }

  void try_micro_batches(const WhatIf& what_if) {
    const std::shared_ptr<const Study> any = any_split(what_if);
    if (any == nullptr) return;
    const Dimension& batch = *split_batch(any->graph(), any->sizes->dims.dimensions);
    const std::int64_t size = size_of(study_, batch.name).value_or(1);
    const std::vector<std::int64_t> counts = divisors(size);
    if (counts.empty()) {
      return rule_out(what_if, "2",
                      "the batch '" + printable(batch.name) + "' is " + std::to_string(size) +
                          ", which no number of micro-batches from 2 to " +
                          std::to_string(most_micro_batches) + " divides");
    }
    const std::vector<std::string>& changed = any->prepared->step.changed_results;
    const bool is_chosen = base_.graph.what_ifs.contains(std::string(what_if.name));
    fix_batch(batch, size);
    if (!changed.empty() && !request_.may_change_results && !is_chosen) {
      return rule_out_results(what_if, std::to_string(counts.front()), changed.front());
    }
    for (const std::int64_t count : counts) {
      if (!is_on(what_if, std::to_string(count))) try_value(what_if, std::to_string(count));
    }
  }

  /// Rules out a value because it would change results. Keeps the step with the value, which shows
  /// how much memory the value would free.
  void rule_out_results(const WhatIf& what_if, const std::string& value,
                        const std::string& reason) {
    try {
      rule_out(what_if, value, reason, step_with(what_if, value));
    } catch (const Error& error) {
      rule_out(what_if, value, error);
    }
  }

  /// A step in micro-batches. It shows which dimension micro-batches split. If two micro-batches do
  /// not divide the study's batch, the step may have other sizes than the study. Null if the model
  /// cannot be split.
  std::shared_ptr<const Study> any_split(const WhatIf& what_if) {
    if (base_.graph.what_ifs.contains(std::string(what_if.name))) {
      return runs_in_step(own_.study->graph()) > 1 ? own_.study : nullptr;
    }
    const std::string value = "2";
    try {
      return step_with(what_if, value);
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::cancelled) throw;
    }
    Choices any_sizes = with_what_if(base_, what_if.name, value);
    any_sizes.dims.clear();
    try {
      return changed_step(what_if, value, any_sizes);
    } catch (const Error& error) {
      rule_out(what_if, value, error);
      return nullptr;
    }
  }

  void fix_batch(const Dimension& batch, std::int64_t size) {
    const bool is_given = std::ranges::any_of(
        base_.dims, [&](const auto& chosen) { return covers(chosen.first, batch); });
    if (!is_given) batch_.emplace(batch.name, size);
  }

  /// Computes all combinations of the tried values: first those that are estimated to fit, then the
  /// others, and among both the faster ones first.
  void combine() {
    std::vector<Sketch> sketches = {
        {base_.graph.what_ifs, static_cast<double>(own_.peak_bytes), own_.seconds}};
    for (const WhatIf& what_if : what_ifs()) {
      const std::size_t before = sketches.size();
      for (const TriedValue& each : values_) {
        if (each.what_if != &what_if) continue;
        for (std::size_t i = 0; i < before; ++i) sketches.push_back(with(sketches[i], each));
      }
    }
    sketches.erase(sketches.begin());
    const auto rank = [&](const Sketch& each) {
      return std::pair(each.peak_bytes > static_cast<double>(request_.budget_bytes), each.seconds);
    };
    std::ranges::stable_sort(sketches, {}, rank);
    for (const Sketch& sketch : sketches) compute(sketch);
  }

  /// Makes a combination of each single value that was tried before the limit was reached.
  void add_tried() {
    for (const TriedValue& each : values_) {
      const bool is_known = std::ranges::any_of(
          found_.all, [&](const Combination& known) { return known.study == each.step.study; });
      if (!is_known) found_.all.push_back(each.step);
    }
  }

  Sketch with(Sketch sketch, const TriedValue& value) const {
    sketch.what_ifs.insert_or_assign(std::string(value.what_if->name), value.value);
    sketch.seconds += value.step.seconds - own_.seconds;
    sketch.peak_bytes *= static_cast<double>(value.step.peak_bytes) /
                         static_cast<double>(std::max<std::int64_t>(1, own_.peak_bytes));
    return sketch;
  }

  void compute(const Sketch& sketch) {
    const auto same = std::ranges::find_if(values_, [&](const TriedValue& each) {
      return each.step.study->choices.graph.what_ifs == sketch.what_ifs;
    });
    if (same != values_.end()) return found_.all.push_back(same->step);
    if (found_.all.size() >= most_combinations || clock_.used(0) >= 1) {
      found_.is_complete = false;
      return;
    }
    try {
      found_.all.push_back(combination_of(study_of(choices_with(sketch.what_ifs))));
    } catch (const Error& error) {
      // Values that can be computed alone may exclude each other.
      if (error.kind() == ErrorKind::cancelled) throw;
    }
  }

  const Study& study_;
  const CombinationRequest& request_;
  const Progress& progress_;
  SearchClock clock_;
  Progress timed_;   ///< cancelled with the search, and when the limit is reached
  Combination own_;  ///< the step that every other combination changes
  Choices base_;     ///< the choices of `own_`
  /// The study's batch, by dimension name. Steps in micro-batches get this batch, because they
  /// would otherwise assume another one. Not set if the user chose the batch, or if the model
  /// cannot be split.
  std::optional<std::pair<std::string, std::int64_t>> batch_;
  std::vector<TriedValue> values_;
  Combinations found_;
  std::shared_ptr<const Study> last_;  ///< the last result of `study_of`
};

}  // namespace

Choices without_plans(const Study& study) {
  Choices choices = without_search(study, study.choices);
  choices.plans.search = effective_search_options(choices.plans);
  choices.plans.level = 0;
  choices.plans.config.clear();
  forget_planned(choices);
  choices.order.moves.clear();
  return choices;
}

Combination own_combination(const Study& study) {
  return combination_of(compute_study(study.model, without_plans(study), &study, Progress()));
}

Combinations find_combinations(const Study& study, const CombinationRequest& request,
                               const Progress& progress) {
  return CombinationFinder(study, request, progress).run();
}

}  // namespace stashscope
