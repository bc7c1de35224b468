#include "ui/document/autosave.h"

#include <QDir>
#include <QFileInfo>
#include <QStandardPaths>
#include <QUuid>

#include "core/base/files.h"

namespace stashscope::ui {

namespace {

using namespace Qt::StringLiterals;

constexpr int delay_in_milliseconds = 1000;

QString lock_name(const QString& file) { return file + u".lock"_s; }

/// A lock on a session file. The lock becomes stale only when the program that holds it ends,
/// however old the lock is.
std::unique_ptr<QLockFile> make_lock(const QString& file) {
  auto lock = std::make_unique<QLockFile>(lock_name(file));
  lock->setStaleLockTime(0);
  return lock;
}

/// Removes a session file, and the partial files that remain if the program ended while writing.
void remove_session(const QString& file) {
  const QFileInfo info(file);
  const QStringList parts = {info.fileName(), info.fileName() + u".part-*"_s};
  for (const QFileInfo& each : info.dir().entryInfoList(parts, QDir::Files)) {
    QFile::remove(each.absoluteFilePath());
  }
}

/// Removes partial files without a session file: the program that wrote them ended while writing,
/// and kept nothing else.
void remove_lone_parts(const QString& folder) {
  for (const QFileInfo& part :
       QDir(folder).entryInfoList({u"*.stashscope.part-*"_s}, QDir::Files)) {
    const QString path = part.absoluteFilePath();
    const QString session = path.left(path.lastIndexOf(u".part-"_s));
    if (!QFile::exists(session) && make_lock(session)->tryLock(0)) QFile::remove(path);
  }
}

}  // namespace

Autosave::Autosave(Document& document, const QString& folder, QObject* parent)
    : QObject(parent), document_(document), folder_(folder) {
  QDir().mkpath(folder_);
  remove_lone_parts(folder_);
  file_ = folder_ + u"/"_s + QUuid::createUuid().toString(QUuid::WithoutBraces) + u".stashscope"_s;
  lock_ = make_lock(file_);
  lock_->tryLock(0);
  delay_.setSingleShot(true);
  delay_.setInterval(delay_in_milliseconds);
  connect(&delay_, &QTimer::timeout, this, &Autosave::save);
  connect(&document, &Document::choices_changed, &delay_, qOverload<>(&QTimer::start));
  connect(&document, &Document::limits_changed, &delay_, qOverload<>(&QTimer::start));
  connect(&document, &Document::measured_changed, &delay_, qOverload<>(&QTimer::start));
  connect(&document, &Document::study_changed, this, [this] {
    if (!document_.is_saved()) delay_.start();
  });
  connect(&document, &Document::opened, this, &Autosave::take_over);
  connect(&document.files(), &DocumentFiles::session_saved, this, &Autosave::forget_saved);
  connect(&document.notices(), &Notices::failed, this, [this] { restoring_.clear(); });
}

Autosave::~Autosave() {
  const bool unsaved = !given_up_ && document_.study() != nullptr && !document_.is_saved();
  if (unsaved) save();
  // The job below runs after the pending writes, because a pending write would create the removed
  // file again. The lock is released last.
  document_.files().write_in_background(
      {}, [unsaved, file = file_, lock = std::shared_ptr<QLockFile>(std::move(lock_))] {
        if (!unsaved) remove_session(file);
      });
}

/// The session of the document, with the path of the user's session file, if there is one.
Session Autosave::kept_session() const {
  Session session = document_.session();
  const QString path = document_.files().session_path();
  if (!path.isEmpty()) session.unsaved_of = QFileInfo(path).absoluteFilePath().toStdString();
  return session;
}

void Autosave::save() {
  if (document_.study() == nullptr) return;
  document_.files().write_in_background(
      {}, [session = kept_session(), file = file_.toStdString()] { save_session(session, file); });
}

/// Removes the autosave file, because the user's session file now holds the choices. Keeps the
/// autosave file if the user changed the choices while the session file was written.
void Autosave::forget_saved() {
  if (!document_.is_saved()) return;
  delay_.stop();
  // The job runs after the pending writes. If it ran before them, one of the writes could create
  // the removed file again.
  document_.files().write_in_background({}, [file = file_] { remove_session(file); });
}

std::vector<Autosave::Abandoned> Autosave::abandoned() const {
  std::vector<Abandoned> found;
  const QDir folder(folder_);
  for (const QFileInfo& info : folder.entryInfoList({u"*.stashscope"_s}, QDir::Files, QDir::Time)) {
    const QString file = info.absoluteFilePath();
    if (QFileInfo(file) == QFileInfo(file_) || file == restored_ || !make_lock(file)->tryLock(0))
      continue;
    const auto unreadable = failure_of([&] {
      const Session session = parse_session(read_file(file.toStdString()), folder_.toStdString());
      found.push_back({file, QString::fromStdString(session.model.string()),
                       QString::fromStdString(session.unsaved_of.string())});
    });
    // An unreadable file stays, because a newer version of the program may have written it.
  }
  return found;
}

void Autosave::discard(const Abandoned& session) const { remove_session(session.file); }

void Autosave::restore(const Abandoned& session) {
  restoring_ = session.file;
  document_.restore(session.file);
}

void Autosave::take_over() {
  const QString abandoned = std::exchange(restoring_, {});
  if (abandoned.isEmpty() || document_.is_saved()) return;
  restored_ = abandoned;
  document_.files().write_in_background(
      {}, [session = kept_session(), file = file_.toStdString(), abandoned] {
        save_session(session, file);
        remove_session(abandoned);
      });
}

QString Autosave::default_folder() {
  return QStandardPaths::writableLocation(QStandardPaths::CacheLocation) + u"/autosave"_s;
}

}  // namespace stashscope::ui
