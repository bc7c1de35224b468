// The search for the largest size that fits, with and without a plan made for each size.

#include "ui/document/choice_words.h"
#include "ui/document/planning.h"

namespace stashscope::ui {

void Planning::find_fit(const FitQuestion& question, const std::optional<ReplanRequest>& replan) {
  if (!document_.why_wait().isEmpty()) return;
  question_ = question;
  replan_ = replan;
  begin(PlanningJob::fit, 0);
  jobs_.post([this, question, replan, study = document_.study(), progress = progress_,
              generation = generation_] {
    // Hands work to the interface thread, which drops it if this search was cancelled or replaced.
    const auto hand_over = [this, generation](auto work) {
      const auto if_current = [=, this] {
        if (generation == generation_) work();
      };
      QMetaObject::invokeMethod(this, if_current, Qt::QueuedConnection);
    };
    std::optional<Fit> found;
    const auto failure = failure_of([&] {
      found = Fit{study, largest_fit(*study, question, progress), {}};
      if (!replan || !is_plannable(*study, replan->grain)) return;
      hand_over([this, sizes = *found] { take_sizes(sizes); });
      const auto report = [&](std::int64_t value, const std::optional<PlannedFit>& largest) {
        QElapsedTimer since_begin;
        since_begin.start();
        hand_over([=, this] { replanning_ = Replanning{value, largest, since_begin}; });
      };
      found->replanned = replanned_fit(*study, found->answer, *replan, progress, report);
    });
    hand_over([=, this] { end_fit(found, failure); });
  });
  Q_EMIT job_changed();
}

bool Planning::is_finding(const FitQuestion& question,
                          const std::optional<ReplanRequest>& replan) const {
  return job_ == PlanningJob::fit && !is_stopping() && question == question_ && replan == replan_;
}

/// Shows the answers for the plans that are on, while plans for each size are searched for.
void Planning::take_sizes(const Fit& fit) {
  fit_ = fit;
  replanning_ = Replanning();
  update_fit();
  end_stale_replanning();
}

void Planning::end_fit(const std::optional<Fit>& found, const std::optional<Failure>& failure) {
  end();
  if (found) fit_ = found;
  update_fit();
  Q_EMIT job_changed();
  tell(PlanningJob::fit, failure);
}

const LargestFit* Planning::fit() const { return fit_holds_ ? &fit_->answer : nullptr; }

const ReplannedFit* Planning::replanned() const {
  if (!fit_ || !fit_->replanned) return nullptr;
  return fit_holds_ || is_replanned_in_use() ? &*fit_->replanned : nullptr;
}

bool Planning::is_replanned_in_use() const {
  if (!fit_ || !fit_->replanned || !fit_->replanned->largest) return false;
  if (!is_chosen(fit_->answer.question.allocator)) return false;
  Choices planned = fit_->replanned->largest->choices;
  planned.device = document_.choices().device;
  planned.allocator = document_.choices().allocator;
  return planned == document_.choices() && fit_->study->model == document_.study()->model;
}

void Planning::use_replanned() {
  const ReplannedFit* const fit = replanned();
  if (fit == nullptr || !fit->largest || !document_.is_up_to_date()) return;
  Choices choices = fit->largest->choices;
  choices.device = document_.choices().device;
  choices.allocator = document_.choices().allocator;
  document_.choose(choices, tr("Set %1 to %2, with the plan made for it")
                                .arg(full_text(*fit_->study, fit_->answer.dimensions.front()))
                                .arg(fit->largest->value));
}

void Planning::update_fit() {
  const auto& study = document_.study();
  fit_holds_ = fit_ && fit_holds(*fit_->study, fit_->answer, *study) &&
               is_chosen(fit_->answer.question.allocator);
  Q_EMIT fit_changed();
}

/// Ends a search for plans for each size once its answer would not hold for the shown study.
void Planning::end_stale_replanning() {
  if (!replanning_ || fit_holds_) return;
  cancel();
  Q_EMIT job_changed();
}

}  // namespace stashscope::ui
