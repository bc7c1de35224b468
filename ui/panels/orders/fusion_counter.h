#pragma once

#include <QObject>

#include "core/study/step/study.h"
#include "ui/jobs/job_thread.h"

namespace stashscope::ui {

/// Computes the effect of each fusion strategy on a study's step. The computation takes seconds for
/// large graphs and for searched orders, so it runs on a thread of its own. Only the newest request
/// is answered.
class FusionCounter : public QObject {
  Q_OBJECT

 public:
  using QObject::QObject;
  ~FusionCounter() override;

  void count(std::shared_ptr<const Study> study);
  void cancel();
  bool is_busy() const { return is_busy_; }

 Q_SIGNALS:
  /// The effects of all strategies; `rows` is empty if the computation failed.
  void counted(const std::vector<stashscope::FusionRow>& rows);

 private:
  Progress progress_;
  std::uint64_t generation_ = 0;
  bool is_busy_ = false;
  // The last member, so that the thread ends before the members that the thread uses are destroyed.
  JobThread thread_{JobThread::AtEnd::drop};
};

}  // namespace stashscope::ui
