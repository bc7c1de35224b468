#pragma once

#include <QObject>
#include <memory>
#include <vector>

#include "core/study/search/next_moves.h"
#include "ui/jobs/job_thread.h"

namespace stashscope::ui {

/// Looks for the moves that lower the peak most for their time, on its own thread. A new start
/// replaces the previous search.
class NextMovesJob : public QObject {
  Q_OBJECT

 public:
  explicit NextMovesJob(QObject* parent = nullptr) : QObject(parent) {}
  ~NextMovesJob() override { progress_.cancel(); }

  void start(std::shared_ptr<const Study> study, std::size_t most);
  void cancel();

 Q_SIGNALS:
  /// @param moves of the study of the last `start`; empty if the search failed
  void found(const std::vector<stashscope::NextMove>& moves);

 private:
  Progress progress_;
  std::uint64_t generation_ = 0;
  JobThread thread_{JobThread::AtEnd::drop, JobThread::Urgency::background};
};

}  // namespace stashscope::ui
