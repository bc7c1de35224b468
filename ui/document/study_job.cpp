#include "ui/document/study_job.h"

#include "ui/jobs/progress_reports.h"

namespace stashscope::ui {

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
    });
    return outcome;
  });
}

void StudyJob::compute(std::shared_ptr<const Graph> model, const Choices& choices,
                       std::shared_ptr<const Study> previous) {
  const Progress progress = restart(false);
  post([model = std::move(model), choices, previous = std::move(previous), progress] {
    StudyOutcome outcome;
    outcome.failure = failure_of(
        [&] { outcome.study = compute_study(model, choices, previous.get(), progress); });
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
