#include "ui/document/recent_files.h"

#include <QCryptographicHash>
#include <QDir>
#include <QFileInfo>
#include <QSaveFile>
#include <QSettings>
#include <QStandardPaths>

namespace stashscope::ui {

namespace {

using namespace Qt::StringLiterals;

constexpr qsizetype most_files = 8;
constexpr const char* thumbnail_format = "PNG";

/// The key of a path in the settings and in the folder of pictures. The key is a hash, because a
/// key and a file name must not contain slashes.
QString key_of(const QString& path) {
  const QByteArray hash = QCryptographicHash::hash(path.toUtf8(), QCryptographicHash::Sha1);
  return QString::fromLatin1(hash.toHex());
}

QString peaks_group() { return u"recent_peaks"_s; }

void set_recent_files(const QStringList& files) {
  QSettings settings;
  settings.setValue(u"recent_files"_s, files);
  QStringList keys;
  for (const QString& each : files) keys << key_of(each);
  settings.beginGroup(peaks_group());
  for (const QString& key : settings.childKeys()) {
    if (!keys.contains(key)) settings.remove(key);
  }
}

}  // namespace

QStringList recent_files() { return QSettings().value(u"recent_files"_s).toStringList(); }

QStringList recent_files_there() {
  QStringList files = recent_files();
  files.removeIf([](const QString& file) { return !QFileInfo::exists(file); });
  return files;
}

QString name_of_file(const QString& path) {
  const QFileInfo file(path);
  const QString folder = file.absoluteDir().dirName();
  return folder.isEmpty() ? file.fileName() : folder + u'/' + file.fileName();
}

void add_recent_file(const QString& path) {
  QStringList files = recent_files();
  const QString absolute = QFileInfo(path).absoluteFilePath();
  files.removeAll(absolute);
  files.prepend(absolute);
  set_recent_files(files.mid(0, most_files));
}

void forget_recent_file(const QString& path) {
  QStringList files = recent_files();
  files.removeAll(path);
  set_recent_files(files);
}

std::optional<RecentPeaks> recent_peaks(const QString& path) {
  const QStringList peaks = QSettings().value(peaks_group() + u'/' + key_of(path)).toStringList();
  if (peaks.size() != 2) return std::nullopt;
  return RecentPeaks{peaks[0].toLongLong(), peaks[1].toLongLong()};
}

void remember_peaks(const QString& path, const RecentPeaks& peaks) {
  const QString absolute = QFileInfo(path).absoluteFilePath();
  if (!recent_files().contains(absolute)) return;
  QSettings().setValue(
      peaks_group() + u'/' + key_of(absolute),
      QStringList{QString::number(peaks.without_plans), QString::number(peaks.with_choices)});
}

QString Thumbnails::default_folder() {
  const QString cache = QStandardPaths::writableLocation(QStandardPaths::CacheLocation);
  return cache.isEmpty() ? QString() : cache + u"/thumbnails"_s;
}

QString Thumbnails::file_of(const QString& path) const {
  return folder_ + u'/' + key_of(QFileInfo(path).absoluteFilePath()) + u".png"_s;
}

QImage Thumbnails::of(const QString& path) const {
  return folder_.isEmpty() ? QImage() : QImage(file_of(path), thumbnail_format);
}

void Thumbnails::keep(const QString& path, const QImage& image, const QStringList& listed) const {
  if (folder_.isEmpty() || !QDir().mkpath(folder_)) return;
  QStringList kept = {QDir::cleanPath(file_of(path))};
  for (const QString& each : listed) kept << QDir::cleanPath(file_of(each));
  for (const QFileInfo& each : QDir(folder_).entryInfoList({u"*.png"_s}, QDir::Files)) {
    if (!kept.contains(each.absoluteFilePath())) QFile::remove(each.absoluteFilePath());
  }
  QSaveFile file(file_of(path));
  if (file.open(QIODevice::WriteOnly) && image.save(&file, thumbnail_format)) file.commit();
}

}  // namespace stashscope::ui
