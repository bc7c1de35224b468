#pragma once

#include <QObject>
#include <memory>

#include "core/study/measured/measure.h"
#include "ui/jobs/device_list.h"
#include "ui/jobs/exclusive_work.h"
#include "ui/jobs/failure.h"
#include "ui/jobs/job_thread.h"

namespace stashscope::ui {

/// The measurements of a run, and the choices that the run used.
struct Measured {
  Choices choices;
  StudyMeasurements runs;
  std::int64_t largest_error = 0;  ///< largest difference from the prediction at any slot, in bytes
};

/// Runs steps in the worker process, one at a time. During a run, no search can begin, because the
/// run occupies `ExclusiveWork`. Lives on the interface thread.
class RunJob : public QObject {
  Q_OBJECT

 public:
  explicit RunJob(ExclusiveWork& exclusive_work) : exclusive_work_(exclusive_work) {}
  ~RunJob() override { progress_.cancel(); }

  /// The machine of the next run, and the number of warm-up runs and repeats.
  const RunRequest& request() const { return request_; }
  void set_request(const RunRequest& request);
  /// The devices of the machine that the next run uses.
  const DeviceList& devices() const { return devices_; }

  /// @param study its choices name the device
  /// @param model the file of the study's model
  /// @pre no run or search is going on
  void start(std::shared_ptr<const Study> study, const std::filesystem::path& model);
  /// Ends the run and drops its measurements. Does nothing when there is no run.
  void cancel();
  bool is_running() const { return running_; }

 Q_SIGNALS:
  void running_changed();
  void progressed(double fraction, const QString& stage);
  /// Each run emits either `measured` or `failed` at its end, unless the run was cancelled.
  /// `is_running` is already false then.
  void measured(const stashscope::ui::Measured& measured);
  void failed(const stashscope::ui::Failure& failure);

 private:
  void finish(std::uint64_t generation, const std::optional<Failure>& failure,
              const Measured& result);
  void set_running(bool running);

  ExclusiveWork& exclusive_work_;
  RunRequest request_;
  DeviceList devices_;
  bool running_ = false;
  std::uint64_t generation_ = 0;
  Progress progress_;
  // Declared last, so that its thread ends before the members that its jobs use are destroyed.
  JobThread thread_{JobThread::AtEnd::drop};
};

}  // namespace stashscope::ui
