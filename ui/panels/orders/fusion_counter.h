#pragma once

#include <QObject>

#include "core/study/step/study.h"
#include "ui/jobs/job_thread.h"

namespace stashscope::ui {

/// Finds out on a thread of its own what each fusion strategy would do to a study's step: seconds
/// for large graphs. Only the newest question is answered.
class FusionCounter : public QObject {
  Q_OBJECT

 public:
  using QObject::QObject;
  ~FusionCounter() override;

  void count(std::shared_ptr<const Study> study);
  void cancel();

 Q_SIGNALS:
  /// Empty when it cannot be told.
  void counted(const std::vector<stashscope::FusionRow>& rows);

 private:
  Progress progress_;
  std::uint64_t generation_ = 0;
  // Last, so that it is joined before what its jobs touch goes away.
  JobThread thread_{JobThread::AtEnd::drop};
};

}  // namespace stashscope::ui
