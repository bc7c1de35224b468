#pragma once

#include <QObject>
#include <QStringList>
#include <QUndoStack>
#include <memory>

#include "core/study/files/loaded_model.h"
#include "core/study/files/overwrite_guard.h"
#include "core/study/measured/measure.h"
#include "ui/document/selection.h"
#include "ui/jobs/device_list.h"
#include "ui/jobs/exclusive_work.h"
#include "ui/jobs/failure.h"
#include "ui/jobs/job_thread.h"

namespace stashscope::ui {

/// What a run measured, and under which choices.
struct Measured {
  Choices choices;
  StudyMeasurements runs;
  std::int64_t largest_error = 0;  ///< bytes, over all steps of both variants
};

/// The model that is open, with the user's choices and the study they lead to. Lives on the
/// interface thread; studies, loading, runs and writing happen on threads of its own and come back
/// as immutable results. Of several computations only the newest is ever shown.
class Document : public QObject {
  Q_OBJECT

 public:
  using Loader = std::function<LoadedModel()>;

  explicit Document(QObject* parent = nullptr);
  ~Document() override;

  /// Loads a model or session in the background. The current one stays until that worked.
  void open(const QString& path);
  /// @param loader is called on another thread and may throw
  void open(const QString& path, Loader loader);
  /// Opens a session that was kept automatically; it counts as not saved.
  void restore(const QString& kept_session);

  /// Null until a model is open.
  const std::shared_ptr<const Study>& study() const { return study_; }
  /// What the user wants now; the study follows as soon as it is computed. Choices that lead to no
  /// study are taken back and told with `failed`.
  const Choices& choices() const { return choices_; }
  QUndoStack& undo_stack() { return undo_stack_; }
  QString model_path() const { return QString::fromStdString(session_.model.string()); }
  /// Empty until the session was saved or loaded.
  const QString& session_path() const { return session_path_; }
  QStringList notes() const;

  /// Everything there is to save: the choices of the study that is shown, since only of those it
  /// is known that they can be opened again.
  Session session() const;

  /// An edit of the user. Does nothing when the choices stay the same.
  /// @param merge_key edits in a row with the same key are undone together; empty: on its own
  void choose(const Choices& after, const QString& text, const QString& merge_key = {});

  bool is_busy() const { return busy_; }
  /// Gives the running computation up and goes back to the choices of the study that is shown.
  void cancel();

  /// Where and how often the next run runs.
  const RunRequest& run_request() const { return run_request_; }
  void set_run_request(const RunRequest& request) {
    run_request_ = request;
    devices_.set_remote(request.host.has_value());
  }
  /// What the machine where it runs has.
  const DeviceList& devices() const { return devices_; }
  /// Runs the step on the chosen device (the processor when none is chosen). Does nothing while a
  /// run or a search has its turn.
  void run();
  void cancel_run();
  bool is_running() const { return running_; }
  /// Of runs and of searches about this document.
  ExclusiveWork& exclusive_work() { return exclusive_work_; }
  /// Why neither a run nor a search can begin now; empty when they can.
  QString why_wait() const;
  /// Null when nothing was measured under the choices of the study that is shown.
  const Measured* measured() const;
  /// Takes what was measured elsewhere.
  void take_measured(const Measured& measured);

  const Selection& selection() const { return selection_; }
  enum class Cursor { follows, stays };
  /// Does nothing for a node that the study does not have.
  void select_node(NodeId node, Cursor cursor = Cursor::follows);
  /// @param step moves the memory cursor there; without it the cursor stays
  void select_nodes(std::vector<NodeId> nodes, const QString& title,
                    std::optional<std::size_t> step = std::nullopt);
  /// Moves the memory cursor and selects the node that runs there.
  void select_step(std::size_t step);
  void clear_selection();
  /// The step at which a node runs in the current order.
  std::size_t step_of(NodeId node) const { return step_of_[node]; }

  /// These write in the background and answer with `noticed` or `failed`. A session waits for the
  /// study of the newest choices. It also answers with `session_saved`; when it cannot be written
  /// its choices count as unsaved again.
  void save_session_as(const QString& path);
  void save_modified_model(const QString& path);
  void export_environment(const QString& path);
  /// @param done told on success unless empty; @param job is called on another thread and may throw
  void write_in_background(const QString& done, std::function<void()> job);
  /// The same for a file of its own; refuses to write over what was read.
  void write_file(const QString& path, const QString& done, std::function<void()> job);

 Q_SIGNALS:
  void opened();           ///< another model; `study_changed` follows
  void study_changed();    ///< a new study is shown
  void choices_changed();  ///< before the study follows
  void selection_changed();
  void busy_changed();
  void progressed(double fraction, const QString& stage);
  void running_changed();
  void run_progressed(double fraction, const QString& stage);
  void measured_changed();
  void paths_changed();
  void session_saved();
  void noticed(const QString& message);
  void failed(const stashscope::ui::Failure& failure);

 private:
  struct Outcome;
  using Answer = std::function<void(const std::optional<Failure>&)>;

  Progress restart_computation();
  void end_computation();
  void compute();
  void finish(std::uint64_t generation, Outcome outcome);
  void finish_in_vain(const Failure& failure, bool was_opening);
  bool is_answered() const { return study_ != nullptr && choices_ == study_->choices; }
  void take_choices(const Choices& choices);
  void push(const Choices& after, const QString& text, const QString& merge_key);
  void return_to_shown();
  void take_back_refused();
  void take_answered();
  void take_subject(Outcome& outcome);
  void show_study(std::shared_ptr<const Study> study);
  void set_busy(bool busy);
  void set_running(bool running);
  void write(std::function<void()> job, Answer answer);
  OverwriteGuard files_read() const;
  void write_session(const QString& path);
  void finish_saving(const std::shared_ptr<const Graph>& model, const QString& path,
                     const std::optional<Failure>& failure);
  /// The study with the node times of the run that was measured, if there is one.
  std::shared_ptr<const Study> timed_study(std::shared_ptr<const Study> study) const;
  void finish_run(std::uint64_t generation, std::optional<Failure> failure,
                  const Measured& measured);

  std::shared_ptr<const Study> study_;
  std::shared_ptr<const Graph> model_;
  Choices choices_;
  Session session_;  // choices and measurements in it are stale; see session()
  QString session_path_;
  QStringList load_notes_;
  std::optional<Measured> measured_;
  std::optional<int> shown_at_;  // the shown study's place in the stack; empty once cut off
  QString awaited_save_;         // the session file that waits for a study
  bool refusing_ = false;
  QUndoStack undo_stack_;
  Selection selection_;
  ExclusiveWork exclusive_work_;
  IdVector<NodeId, std::size_t> step_of_;
  bool busy_ = false;
  bool opening_ = false;
  bool running_ = false;
  std::uint64_t generation_ = 0;
  std::uint64_t run_generation_ = 0;
  Progress computation_;
  Progress run_;
  RunRequest run_request_;
  DeviceList devices_;
  // Last, so that they are joined before anything that their jobs touch goes away.
  JobThread computing_{JobThread::AtEnd::drop};
  JobThread running_jobs_{JobThread::AtEnd::drop};
  JobThread writing_{JobThread::AtEnd::finish};
};

}  // namespace stashscope::ui
