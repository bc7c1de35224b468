#include "ui/document/document_files.h"

#include "core/base/files.h"
#include "core/base/text.h"

namespace stashscope::ui {

void DocumentFiles::open(std::shared_ptr<const Graph> model,
                         const std::filesystem::path& model_file, const QString& session) {
  model_ = std::move(model);
  model_file_ = model_file;
  session_path_ = session;
  Q_EMIT paths_changed();
}

OverwriteGuard DocumentFiles::guard() const {
  OverwriteGuard files;
  files.add_model(model_file_, *model_);
  if (!session_path_.isEmpty()) files.add_session(session_path_.toStdString());
  return files;
}

void DocumentFiles::write(std::function<void()> job, Answer answer) {
  thread_.post([this, job = std::move(job), answer = std::move(answer)] {
    const auto failure = failure_of(job);
    QMetaObject::invokeMethod(
        this, [answer, failure] { answer(failure); }, Qt::QueuedConnection);
  });
}

void DocumentFiles::write_in_background(const QString& done, std::function<void()> job) {
  write(std::move(job), [this, done](const std::optional<Failure>& failure) {
    if (failure) {
      notices_.report(*failure);
    } else if (!done.isEmpty()) {
      notices_.notify(done);
    }
  });
}

void DocumentFiles::write_file(const QString& path, const QString& done,
                               std::function<void()> job) {
  if (model_ != nullptr) write_in_background(done, claimed(path, std::move(job)));
}

void DocumentFiles::write_plan(const QString& path, std::shared_ptr<const Study> study,
                               std::function<void()> job) {
  if (model_ == nullptr) return;
  write(claimed(path, std::move(job)),
        [this, path, study = std::move(study)](const std::optional<Failure>& failure) {
          if (failure) return notices_.report(*failure);
          Q_EMIT plan_written(path, study);
        });
}

std::function<void()> DocumentFiles::claimed(const QString& path, std::function<void()> job) const {
  return [files = guard(), file = path.toStdString(), job = std::move(job)]() mutable {
    files.claim(printable(file), file, "a file");
    job();
  };
}

void DocumentFiles::write_session(Session session, const QString& path) {
  write(
      [session = std::move(session), files = guard(), file = path.toStdString()]() mutable {
        files.claim_session(printable(file), file);
        session.model_hash = hash_file(session.model);
        save_session(session, file);
      },
      [this, model = model_, path](const std::optional<Failure>& failure) {
        finish_session(model, path, failure);
      });
}

void DocumentFiles::finish_session(const std::shared_ptr<const Graph>& model, const QString& path,
                                   const std::optional<Failure>& failure) {
  const bool still_open = model == model_;
  if (failure) {
    if (still_open) Q_EMIT session_not_saved();
    notices_.report(*failure);
    return;
  }
  if (still_open) session_path_ = path;
  Q_EMIT paths_changed();
  notices_.notify(tr("Saved %1").arg(path));
  Q_EMIT session_saved(path);
}

}  // namespace stashscope::ui
