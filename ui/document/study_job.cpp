#include "ui/document/study_job.h"

#include "ui/jobs/progress_reports.h"

namespace stashscope::ui {

namespace {

/// What the chosen allocator reserves; null if none is chosen. Throws a usage Error for settings
/// that are not known.
std::shared_ptr<const ReservedStep> reserved_of(const Study& study,
                                                const ReservedStudy& previous = {}) {
  const auto settings = allocator_settings(study.choices);
  if (!settings) return nullptr;
  const bool is_same = previous.reserved != nullptr && previous.study->current == study.current &&
                       previous.study->choices.allocator == study.choices.allocator;
  if (is_same) return previous.reserved;
  return std::make_shared<const ReservedStep>(reserved_step(study, *study.current, *settings));
}

}  // namespace

void StudyJob::open(const QString& path, Loader loader) {
  const Progress progress = restart(true);
  post([path, loader = std::move(loader), progress] {
    StudyOutcome outcome;
    outcome.is_opening = true;
    outcome.path = path;
    outcome.failure = failure_of([&] {
      progress.update(0, "loading");
      outcome.loaded = loader();
      outcome.study = study_of(*outcome.loaded, progress);
      outcome.reserved = reserved_of(*outcome.study);
    });
    return outcome;
  });
}

void StudyJob::open(const LoadedModel& loaded, std::shared_ptr<const Study> previous) {
  const Progress progress = restart(true);
  post([loaded, previous = std::move(previous), progress] {
    StudyOutcome outcome;
    outcome.is_opening = true;
    outcome.loaded = loaded;
    outcome.failure = failure_of([&] {
      outcome.study = compute_study(loaded.model, loaded.session.choices, previous.get(), progress);
      outcome.reserved = reserved_of(*outcome.study);
    });
    return outcome;
  });
}

void StudyJob::compute(std::shared_ptr<const Graph> model, const Choices& choices,
                       ReservedStudy previous) {
  const Progress progress = restart(false);
  post([model = std::move(model), choices, previous = std::move(previous), progress] {
    StudyOutcome outcome;
    outcome.failure = failure_of([&] {
      outcome.study = compute_study(model, choices, previous.study.get(), progress);
      outcome.reserved = reserved_of(*outcome.study, previous);
    });
    return outcome;
  });
}

Progress StudyJob::restart(bool is_opening) {
  progress_.cancel();
  ++generation_;
  opening_ = is_opening;
  progress_ =
      progress_to(this, [this, generation = generation_](double fraction, const QString& stage) {
        if (generation == generation_ && busy_) Q_EMIT progressed(fraction, stage);
      });
  set_busy(true);
  return progress_;
}

void StudyJob::post(std::function<StudyOutcome()> compute) {
  thread_.post([this, compute = std::move(compute), generation = generation_] {
    const auto finish = [this, generation, outcome = compute()] {
      if (generation != generation_) return;
      opening_ = false;
      set_busy(false);
      Q_EMIT finished(outcome);
    };
    QMetaObject::invokeMethod(this, finish, Qt::QueuedConnection);
  });
}

void StudyJob::cancel() {
  progress_.cancel();
  ++generation_;
  opening_ = false;
  set_busy(false);
}

void StudyJob::set_busy(bool busy) {
  if (busy_ == busy) return;
  busy_ = busy;
  Q_EMIT busy_changed();
}

}  // namespace stashscope::ui
