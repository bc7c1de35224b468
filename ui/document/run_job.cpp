#include "ui/document/run_job.h"

#include "ui/jobs/progress_reports.h"

namespace stashscope::ui {

void RunJob::set_request(const RunRequest& request) {
  request_ = request;
  devices_.set_remote(request.host.has_value());
}

void RunJob::start(std::shared_ptr<const Study> study, const std::filesystem::path& model) {
  ++generation_;
  progress_ =
      progress_to(this, [this, generation = generation_](double fraction, const QString& stage) {
        if (running_ && generation == generation_) Q_EMIT progressed(fraction, stage);
      });
  set_running(true);
  thread_.post([this, study = std::move(study), model, request = request_, progress = progress_,
                generation = generation_] {
    Measured result;
    result.choices = study->choices;
    const auto failure = failure_of([&] {
      result.runs = measure_in_worker(*study, model, request, nullptr, progress);
      result.largest_error = largest_error(*study, result.runs);
    });
    QMetaObject::invokeMethod(
        this, [=, this] { finish(generation, failure, result); }, Qt::QueuedConnection);
  });
}

void RunJob::cancel() {
  if (!running_) return;
  progress_.cancel();
  ++generation_;
  set_running(false);
}

void RunJob::finish(std::uint64_t generation, const std::optional<Failure>& failure,
                    const Measured& result) {
  if (generation != generation_) return;
  set_running(false);
  if (failure) {
    Q_EMIT failed(*failure);
  } else {
    Q_EMIT measured(result);
  }
}

void RunJob::set_running(bool running) {
  if (running_ == running) return;
  running_ = running;
  if (running) {
    exclusive_work_.begin(HeavyWork::run);
  } else {
    exclusive_work_.end();
  }
  Q_EMIT running_changed();
}

}  // namespace stashscope::ui
