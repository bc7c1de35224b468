#include "ui/panels/dimensions/sweep_job.h"

namespace stashscope::ui {

void SweepJob::start(std::shared_ptr<const Study> study, const Dimension& dimension,
                     std::vector<std::int64_t> values,
                     const std::optional<AllocatorSettings>& allocator) {
  progress_.cancel();
  progress_ = Progress();
  running_ = true;
  const std::uint64_t generation = ++generation_;
  thread_.post([this, study, dimension, values = std::move(values), allocator, progress = progress_,
                generation] {
    const auto on_point = [&](const SweepPoint& point) {
      QMetaObject::invokeMethod(
          this,
          [this, generation, point] {
            if (generation == generation_ && running_) Q_EMIT found(point);
          },
          Qt::QueuedConnection);
    };
    const auto failure =
        failure_of([&] { sweep(*study, dimension, values, on_point, progress, allocator); });
    QMetaObject::invokeMethod(
        this, [this, generation, failure] { finish(generation, failure); }, Qt::QueuedConnection);
  });
}

void SweepJob::cancel() {
  if (!running_) return;
  progress_.cancel();
  running_ = false;
  Q_EMIT ended();
}

void SweepJob::finish(std::uint64_t generation, const std::optional<Failure>& failure) {
  if (generation != generation_ || !running_) return;
  running_ = false;
  if (failure) Q_EMIT failed(*failure);
  Q_EMIT ended();
}

}  // namespace stashscope::ui
