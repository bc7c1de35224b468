#include "ui/document/next_moves_job.h"

#include "ui/jobs/failure.h"

namespace stashscope::ui {

void NextMovesJob::start(std::shared_ptr<const Study> study, std::size_t most) {
  cancel();
  progress_ = Progress();
  thread_.post(
      [this, study = std::move(study), most, progress = progress_, generation = generation_] {
        std::vector<NextMove> moves;
        const auto failure = failure_of([&] { moves = next_moves(*study, most, progress); });
        if (failure) moves.clear();
        QMetaObject::invokeMethod(
            this,
            [this, generation, moves = std::move(moves)] {
              if (generation == generation_) Q_EMIT found(moves);
            },
            Qt::QueuedConnection);
      });
}

void NextMovesJob::cancel() {
  progress_.cancel();
  ++generation_;
}

}  // namespace stashscope::ui
