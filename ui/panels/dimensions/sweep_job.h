#pragma once

#include <QObject>
#include <memory>
#include <optional>
#include <vector>

#include "core/study/search/sweep.h"
#include "ui/jobs/failure.h"
#include "ui/jobs/job_thread.h"

namespace stashscope::ui {

/// Computes the peak, or what an allocator reserves, for each of several sizes of a dimension (a
/// sweep) on a thread of its own. A new sweep replaces the previous one.
class SweepJob : public QObject {
  Q_OBJECT

 public:
  explicit SweepJob(QObject* parent = nullptr) : QObject(parent) {}
  ~SweepJob() override { progress_.cancel(); }

  void start(std::shared_ptr<const Study> study, const Dimension& dimension,
             std::vector<std::int64_t> values, const std::optional<AllocatorSettings>& allocator);
  void cancel();
  bool is_running() const { return running_; }

 Q_SIGNALS:
  void found(const stashscope::SweepPoint& point);
  void ended();  ///< the sweep is done, failed or cancelled; not emitted if it was replaced
  void failed(const stashscope::ui::Failure& failure);

 private:
  void finish(std::uint64_t generation, const std::optional<Failure>& failure);

  Progress progress_;
  std::uint64_t generation_ = 0;
  bool running_ = false;
  JobThread thread_{JobThread::AtEnd::drop};
};

}  // namespace stashscope::ui
