#include "ui/document/recent_files.h"

#include <QDir>
#include <QFileInfo>
#include <QSettings>

namespace stashscope::ui {

namespace {

using namespace Qt::StringLiterals;

constexpr qsizetype most_files = 8;

}  // namespace

QStringList recent_files() {
  QStringList files = QSettings().value(u"recent_files"_s).toStringList();
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
  QSettings().setValue(u"recent_files"_s, files.mid(0, most_files));
}

}  // namespace stashscope::ui
