#pragma once

#include <QObject>
#include <QStringList>
#include <QUndoStack>
#include <memory>
#include <optional>

#include "core/allocator/allocator_settings.h"
#include "ui/document/document_files.h"
#include "ui/document/linked_selection.h"
#include "ui/document/run_job.h"
#include "ui/document/study_job.h"
#include "ui/jobs/exclusive_work.h"
#include "ui/jobs/notices.h"

namespace stashscope::ui {

/// The open model, with the user's choices, the undo stack and the study under these choices. Each
/// part that views use is a separate class with its own signals: study job, run job, selection,
/// files and notices. Lives on the interface thread; results of other threads arrive as immutable
/// values.
class Document : public QObject {
  Q_OBJECT

 public:
  explicit Document(QObject* parent = nullptr);
  ~Document() override;

  /// Loads a model or session in the background. The current model stays until loading has
  /// succeeded.
  void open(const QString& path);
  /// @param loader is called on another thread and may throw
  void open(const QString& path, StudyJob::Loader loader);
  /// Opens the model of another document under other choices, without reading a file.
  /// @pre `from` shows a study
  void open_state(const Document& from, const Choices& choices);
  /// Opens an autosaved session. Its choices count as unsaved.
  void restore(const QString& kept_session);

  /// The shown study; null until a model is open.
  const std::shared_ptr<const Study>& study() const { return study_; }
  /// What the chosen allocator reserves for the current variant of the shown study; null if no
  /// allocator is chosen.
  const std::shared_ptr<const ReservedStep>& reserved() const { return reserved_; }
  /// What the allocator reserves for the shown study; nothing without an allocator.
  std::optional<std::int64_t> reserved_bytes() const;
  /// The newest choices. Their study is shown as soon as it is computed. If the study cannot be
  /// computed, the choices are undone and the notices report why.
  const Choices& choices() const { return choices_; }
  /// Whether the shown study belongs to the newest choices. False while no study is shown.
  bool is_up_to_date() const { return study_ != nullptr && study_->choices == choices_; }
  /// The choices directly after the file was opened.
  const Choices& opened_choices() const { return opened_choices_; }
  QUndoStack& undo_stack() { return undo_stack_; }
  QString model_path() const { return QString::fromStdString(session_.model.string()); }
  /// Warnings of the loader and of the study.
  QStringList notes() const;

  /// The planner's budget as the user wrote it, such as `16 GiB`; empty if the user set none. The
  /// session file stores the budget. The budget is not part of the choices, because the budget does
  /// not change the step. Setting the budget cannot be undone, but the session then counts as
  /// changed.
  QString budget() const { return QString::fromStdString(session_.budget); }
  void set_budget(const QString& text);
  /// Whether the planner's limits apply to reserved memory instead of tensors. Has no effect while
  /// no allocator is chosen. Stored as the budget is.
  bool fits_reserved() const { return session_.fits_reserved; }
  void set_fits_reserved(bool is_reserved);
  /// The allocator settings of the shown study, if its reserved memory must fit (`fits_reserved`).
  /// Nothing if only tensors must fit, or if no allocator is chosen.
  std::optional<AllocatorSettings> allocator_that_fits() const;

  /// Whether the user's file has the current choices, the budget and `fits_reserved`.
  bool is_saved() const { return undo_stack_.isClean() && has_saved_limits(); }

  /// The content of a session file, with the choices of the shown study. Newer choices are left
  /// out, because a file whose choices have no study could not be opened.
  Session session() const;

  /// Applies an edit of the user. Does nothing without a model, or if the choices stay the same.
  /// @param merge_key consecutive edits with the same key are undone together; empty: never merged
  void choose(const Choices& after, const QString& text, const QString& merge_key = {});

  const StudyJob& study_job() const { return study_job_; }
  /// Cancels loading, or cancels the computation of a study. In the second case, returns to the
  /// choices of the shown study.
  void cancel();

  RunJob& run_job() { return run_job_; }
  const RunJob& run_job() const { return run_job_; }
  /// Runs the step on the chosen device, or on the processor if no device is chosen. Does nothing
  /// while `why_no_run` gives a reason.
  void run();
  /// Admits only one run or search of this document at a time.
  ExclusiveWork& exclusive_work() { return exclusive_work_; }
  /// The reason why no run or search can begin now; empty if one can begin.
  QString why_wait() const;
  /// The reason why the step cannot be run now; empty if it can.
  QString why_no_run() const;
  /// The measurement of the shown step; null if the step was not measured.
  const Measured* measured() const;
  /// Replaces the measurement, for example by an imported measurement.
  void take_measured(const Measured& measured);

  LinkedSelection& selection() { return selection_; }
  const LinkedSelection& selection() const { return selection_; }
  Notices& notices() { return notices_; }

  DocumentFiles& files() { return files_; }
  const DocumentFiles& files() const { return files_; }
  /// Waits for the study of the newest choices, then writes the session file in the background. If
  /// the file cannot be written, the document counts as unsaved again.
  void save_session_as(const QString& path);

 Q_SIGNALS:
  void opened();           ///< a model was opened; `study_changed` follows
  void study_changed();    ///< a new study is shown
  void choices_changed();  ///< `study_changed` follows if the choices need another study
  void measured_changed();
  void fits_changed();    ///< `fits_reserved` changed
  void limits_changed();  ///< `budget` or `fits_reserved` changed
  void saved_changed();   ///< `is_saved` may have changed

 private:
  /// The limits of the planner's searches, as the session stores them.
  struct Limits {
    std::string budget;
    bool fits_reserved = false;
  };

  void compute();
  void finish(const StudyOutcome& outcome);
  void finish_in_vain(const Failure& failure, bool was_opening);
  void take_choices(const Choices& choices);
  void push(const Choices& after, const QString& text, const QString& merge_key);
  void return_to_shown();
  void take_back_refused();
  void take_answered();
  void take_model(const LoadedModel& loaded, std::shared_ptr<const Study> study,
                  const QString& path);
  void show_study(std::shared_ptr<const Study> study);
  void write_session(const QString& path);
  bool has_saved_limits() const;
  void keep_limits();
  /// The study with measured node times; without a measurement, `study` itself.
  std::shared_ptr<const Study> timed_study(std::shared_ptr<const Study> study) const;

  std::shared_ptr<const Study> study_;
  std::shared_ptr<const ReservedStep> reserved_;
  std::shared_ptr<const Graph> model_;
  Choices choices_;
  Choices opened_choices_;
  Session session_;  // its choices and measurements may be out of date; use session()
  Limits saved_limits_;
  QStringList load_notes_;
  std::optional<Measured> measured_;
  std::optional<int> shown_at_;  // position of the shown choices in the undo stack; empty if the
                                 // stack no longer has them
  QString awaited_save_;         // session file to write after the study; empty: none
  bool refusing_ = false;
  QUndoStack undo_stack_;
  LinkedSelection selection_;
  ExclusiveWork exclusive_work_;
  Notices notices_;
  // Declared last, so that they are destroyed first, because their threads use the members above.
  DocumentFiles files_{notices_};
  StudyJob study_job_;
  RunJob run_job_{exclusive_work_};
};

}  // namespace stashscope::ui
