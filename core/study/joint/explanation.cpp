#include "core/study/joint/explanation.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/graph/micro_batches.h"
#include "core/passes/what_if/micro_batches.h"
#include "core/study/choices/micro_batch_sizes.h"
#include "core/study/joint/freed_tensors.h"
#include "core/study/joint/plan_explanation.h"

namespace stashscope {

namespace {

using Kind = ExplainedChoice::Kind;

/// Changes of less than the peak divided by this number are not mentioned.
constexpr std::int64_t told_share = 1000;

std::string share_text(double part, double whole) {
  return whole == 0 ? "" : " (" + format_fixed(100 * part / whole, 1) + " %)";
}

std::string peak_clause(std::int64_t saved, std::int64_t before) {
  if (std::abs(saved) < before / told_share) return "the peak without plans stays about the same";
  const std::string share =
      share_text(std::abs(static_cast<double>(saved)), static_cast<double>(before));
  return std::string("the peak without plans ") + (saved > 0 ? "falls" : "rises") + " by " +
         format_bytes(std::abs(saved)) + share;
}

std::string time_clause(double added, double before) {
  constexpr double rounding = 1e-9;
  if (std::abs(added) < rounding) return "a step takes as long as before";
  return "a step takes " + format_seconds(std::abs(added)) + share_text(std::abs(added), before) +
         (added > 0 ? " more" : " less");
}

std::string tensor_clause(const std::optional<FreedTensor>& freed) {
  if (!freed) return "";
  if (!freed->was_at_peak) return words_of(*freed) + " is not made any more; ";
  if (freed->bytes_after == 0) return words_of(*freed) + " is not alive at the peak any more; ";
  return words_of(*freed) + " shrinks to " + format_bytes(freed->bytes_after) + "; ";
}

double seconds_of(const Study& study) { return step_seconds(study, *study.current); }

/// The effect of one change on a step without plans.
class StepChange {
 public:
  StepChange(const Study& before, const Study& after)
      : before_(before),
        after_(after),
        freed_(largest_freed(before, *before.current, after, *after.current,
                             before.current->timeline.peak_bytes / told_share)) {}

  ExplainedChoice explained(Kind kind, std::string choice, const std::string& words) const {
    ExplainedChoice change;
    change.kind = kind;
    change.choice = std::move(choice);
    change.saving_bytes =
        before_.current->timeline.peak_bytes - after_.current->timeline.peak_bytes;
    change.seconds = seconds_of(after_) - seconds_of(before_);
    if (freed_) change.tensor = freed_->name;
    change.sentence = words + ": " + tensor_clause(freed_) +
                      peak_clause(change.saving_bytes, before_.current->timeline.peak_bytes) +
                      ", and " + time_clause(change.seconds, seconds_of(before_)) + ".";
    return change;
  }

 private:
  const Study& before_;
  const Study& after_;
  std::optional<FreedTensor> freed_;
};

/// The words of a value, and how many places it changes: `Flash attention in 12 places`. For
/// micro-batches, the number of samples in each.
std::string title_of(const WhatIf& what_if, const std::string& value, const Study& with) {
  std::string words = what_if.words(value);
  if (what_if.name == micro_batches_name) {
    const Dimension* const batch = split_batch(with.graph(), with.sizes->dims.dimensions);
    if (batch == nullptr) return words;
    const std::int64_t samples = batch->value / runs_in_step(with.graph());
    return words + " of " + counted(static_cast<std::size_t>(samples), "sample", "samples");
  }
  const WhatIfResult* const result = what_if_result(with, what_if.name);
  return result == nullptr ? words : words + " in " + counted(result->changed, "place", "places");
}

/// Explains the changes that lead from the step that was asked about to the step of the answer.
/// Both steps are without plans. First explains all passes together, then one what-if after the
/// other.
class WayExplainer {
 public:
  WayExplainer(const Combinations& found, const Study& after)
      : found_(found), after_(after), now_(found.all.front().study) {}

  std::vector<ExplainedChoice> run() {
    if (!found_.passes.empty() && after_.choices.graph.passes != now_->choices.graph.passes) {
      explain_passes();
    }
    for (const WhatIf& each : what_ifs()) {
      const auto chosen = after_.choices.graph.what_ifs.find(std::string(each.name));
      if (chosen == after_.choices.graph.what_ifs.end()) continue;
      const auto& before = now_->choices.graph.what_ifs;
      const auto same = before.find(chosen->first);
      if (same == before.end() || same->second != chosen->second) {
        explain_what_if(each, chosen->second);
      }
    }
    return std::move(explained_);
  }

 private:
  void explain_passes() {
    std::vector<std::string> names;
    std::vector<std::string> titles;
    for (const GraphPass* const pass : found_.passes) {
      names.emplace_back(pass->name);
      titles.emplace_back(pass->title);
    }
    const auto next = found_.all[1].study;
    const std::string words = counted(names.size(), "pass", "passes") + " that " +
                              (names.size() == 1 ? "adds" : "add") + " no time (" +
                              join(titles, ", ") + ")";
    explained_.push_back(StepChange(*now_, *next).explained(Kind::pass, join(names, ","), words));
    now_ = next;
  }

  void explain_what_if(const WhatIf& what_if, const std::string& value) {
    Choices choices = with_what_if(now_->choices, what_if.name, value);
    choices.dims = after_.choices.dims;
    const auto next = step_of(choices);
    ExplainedChoice choice = StepChange(*now_, *next)
                                 .explained(Kind::what_if, std::string(what_if.name) + "=" + value,
                                            title_of(what_if, value, *next));
    if (what_if.name == micro_batches_name) tell_results(next->prepared->step, choice);
    explained_.push_back(std::move(choice));
    now_ = next;
  }

  static void tell_results(const TrainingStep& step, ExplainedChoice& choice) {
    if (!step.changed_results.empty()) {
      choice.changes_results = true;
      choice.sentence += " Results change: " + step.changed_results.front() + ".";
    }
    for (const std::string& each : step.conditions) choice.sentence += " Note: " + each + ".";
  }

  std::shared_ptr<const Study> step_of(const Choices& choices) const {
    const auto same = std::ranges::find_if(found_.all, [&](const Combination& each) {
      return each.study->choices.graph == choices.graph;
    });
    if (same != found_.all.end()) return same->study;
    return compute_study(after_.model, choices, nullptr, Progress());
  }

  const Combinations& found_;
  const Study& after_;
  std::shared_ptr<const Study> now_;
  std::vector<ExplainedChoice> explained_;
};

ExplainedChoice left_out(const std::string& choice, const std::string& sentence) {
  ExplainedChoice entry;
  entry.choice = choice;
  entry.is_made = false;
  entry.sentence = sentence;
  return entry;
}

/// @param own the step without plans that the value would change
ExplainedChoice explain_ruled_out(const RuledOut& each, const Study& own) {
  const std::string choice = std::string(each.what_if->name) + "=" + each.value;
  const std::string words = each.what_if->words(each.value);
  if (each.with == nullptr)
    return left_out(choice, words + ": not possible, because " + each.reason + ".");
  ExplainedChoice change =
      StepChange(own, *each.with)
          .explained(Kind::what_if, choice, title_of(*each.what_if, each.value, *each.with));
  change.is_made = false;
  change.changes_results = true;
  change.sentence += " It is left out because it changes results: " + each.reason + ".";
  return change;
}

/// Adds an entry for each what-if that is on but could not change some places.
void add_stopped_places(const Study& after, std::vector<ExplainedChoice>& explained) {
  for (const WhatIfResult& result : after.prepared->step.what_ifs) {
    if (result.stopped_by.empty()) continue;
    const WhatIfStop& stop = result.stopped_by.front();
    explained.push_back(left_out(
        result.name + "=" + result.value,
        counted(result.stopped_by.size(), "place stays as it is", "places stay as they are") +
            ", although " + result.name + "=" + result.value + " is on: " + stop.node + " " +
            stop.reason + "."));
  }
}

}  // namespace

std::vector<ExplainedChoice> explain(const Study& asked, const Combinations& found,
                                     const Study& after) {
  std::vector<ExplainedChoice> explained = WayExplainer(found, after).run();
  std::ranges::move(explain_plans(after), std::back_inserter(explained));
  if (!can_change_graph(asked)) {
    explained.push_back(left_out("",
                                 "What-ifs are not tried, because the step has a backward pass of "
                                 "its own, or measured times."));
  }
  const Study& own = found.passes.empty() ? *found.all.front().study : *found.all[1].study;
  for (const RuledOut& each : found.ruled_out) {
    const bool is_on = after.choices.graph.what_ifs.contains(std::string(each.what_if->name));
    if (!is_on) explained.push_back(explain_ruled_out(each, own));
  }
  add_stopped_places(after, explained);
  return explained;
}

}  // namespace stashscope
