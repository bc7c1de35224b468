#pragma once

#include <QObject>
#include <filesystem>
#include <memory>

#include "core/study/files/overwrite_guard.h"
#include "core/study/files/session.h"
#include "core/study/step/study.h"
#include "ui/jobs/job_thread.h"
#include "ui/jobs/notices.h"

namespace stashscope::ui {

/// The files that a document was read from and the files that it writes. Writes files one after
/// another on its own thread, and finishes all of them before it is destroyed. Reports failures and
/// successes in the notices. Lives on the interface thread.
class DocumentFiles : public QObject {
  Q_OBJECT

 public:
  explicit DocumentFiles(Notices& notices) : notices_(notices) {}

  /// Call this after another model was opened.
  /// @param session empty when the model was not opened from a session of the user
  void open(std::shared_ptr<const Graph> model, const std::filesystem::path& model_file,
            const QString& session);
  /// The path of the session file; empty until the session is saved or loaded.
  const QString& session_path() const { return session_path_; }
  /// A guard that refuses to write over any file that the document was read from.
  /// @pre a model is open
  OverwriteGuard guard() const;

  /// Writes a session file in the background, then emits `session_saved`, even if another model was
  /// opened meanwhile. If the file cannot be written, reports the failure and, if the model is
  /// still open at that time, emits `session_not_saved`.
  /// @pre a model is open
  void write_session(Session session, const QString& path);
  /// Runs a job that writes files, in the background. Reports a failure in the notices.
  /// @param done message on success; empty: no message
  /// @param job is called on another thread and may throw
  void write_in_background(const QString& done, std::function<void()> job);
  /// Writes one file in the background. Refuses to write over a file that the document was read
  /// from. Does nothing without a model.
  void write_file(const QString& path, const QString& done, std::function<void()> job);
  /// As `write_file`, but emits `plan_written` on success instead of a notice.
  /// @param study the study whose plan is written
  void write_plan(const QString& path, std::shared_ptr<const Study> study,
                  std::function<void()> job);

 Q_SIGNALS:
  void paths_changed();
  /// @param path the written file; not the `session_path` if another model was opened meanwhile
  void session_saved(const QString& path);
  void session_not_saved();
  void plan_written(const QString& path, const std::shared_ptr<const Study>& study);

 private:
  using Answer = std::function<void(const std::optional<Failure>&)>;

  /// The job, preceded by a check that the job writes over no file that the document was read from.
  std::function<void()> claimed(const QString& path, std::function<void()> job) const;
  void write(std::function<void()> job, Answer answer);
  void finish_session(const std::shared_ptr<const Graph>& model, const QString& path,
                      const std::optional<Failure>& failure);

  Notices& notices_;
  std::shared_ptr<const Graph> model_;
  std::filesystem::path model_file_;
  QString session_path_;
  // Declared last, so that its thread ends before the members that its jobs use are destroyed.
  JobThread thread_{JobThread::AtEnd::finish};
};

}  // namespace stashscope::ui
