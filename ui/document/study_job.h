#pragma once

#include <QObject>
#include <memory>

#include "core/study/files/loaded_model.h"
#include "core/study/reserved/allocator_map.h"
#include "core/study/step/study.h"
#include "ui/jobs/failure.h"
#include "ui/jobs/job_thread.h"

namespace stashscope::ui {

/// A study, and what the chosen allocator reserves for its current variant.
struct ReservedStudy {
  std::shared_ptr<const Study> study;
  std::shared_ptr<const ReservedStep> reserved;  ///< null: no allocator is chosen
};

/// The result of a computation: either a study or a failure. If the computation loaded the model,
/// the result also has the model.
struct StudyOutcome {
  std::optional<Failure> failure;
  bool is_opening = false;            ///< the computation began with `open`
  QString path;                       ///< the path given to `open`
  std::optional<LoadedModel> loaded;  ///< set if the computation opened a model
  std::shared_ptr<const Study> study;
  std::shared_ptr<const ReservedStep> reserved;  ///< null: no allocator is chosen
};

/// Loads models and computes studies, and what the chosen allocator reserves for them, on its own
/// thread. A new computation cancels the previous computation and drops its result. The computation
/// of reserved memory reports no progress and cannot be interrupted: a cancel takes effect after
/// it. Lives on the interface thread.
class StudyJob : public QObject {
  Q_OBJECT

 public:
  using Loader = std::function<LoadedModel()>;

  using QObject::QObject;
  ~StudyJob() override { progress_.cancel(); }

  /// Loads a model and computes its first study.
  /// @param loader is called on another thread and may throw
  void open(const QString& path, Loader loader);
  /// Computes the first study of a model that is loaded already.
  /// @param previous a study of this model whose results may be reused
  void open(const LoadedModel& loaded, std::shared_ptr<const Study> previous);
  /// Computes the study of a model under some choices.
  /// @param previous results that are reused as far as the new choices do not affect them; may be
  /// null
  void compute(std::shared_ptr<const Graph> model, const Choices& choices, ReservedStudy previous);
  /// Cancels the computation and drops its result. `finished` is not emitted for this computation.
  void cancel();

  bool is_busy() const { return busy_; }
  /// Whether the current computation began with `open`.
  bool is_opening() const { return opening_; }

 Q_SIGNALS:
  void busy_changed();
  void progressed(double fraction, const QString& stage);
  /// The newest computation ended; `is_busy` is already false.
  void finished(const stashscope::ui::StudyOutcome& outcome);

 private:
  Progress restart(bool is_opening);
  void post(std::function<StudyOutcome()> compute);
  void set_busy(bool busy);

  bool busy_ = false;
  bool opening_ = false;
  std::uint64_t generation_ = 0;
  Progress progress_;
  // Declared last, so that its thread ends before the members that its jobs use are destroyed.
  JobThread thread_{JobThread::AtEnd::drop};
};

}  // namespace stashscope::ui
