#include "ui/widgets/file_dialog.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QSettings>
#include <QStandardPaths>

namespace stashscope::ui {

namespace {

using namespace Qt::StringLiterals;

constexpr auto folder_key = "files/save_folder"_L1;

/// The folder of the model is often a cache or read-only.
QString folder_to_save_in() {
  const QStringList folders = {QSettings().value(folder_key).toString(),
                               QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation)};
  for (const QString& each : folders) {
    const QFileInfo folder(each);
    if (!each.isEmpty() && folder.isDir() && folder.isWritable()) return each;
  }
  return QDir::homePath();
}

}  // namespace

QFileDialog* make_file_dialog(QWidget& parent, const QString& name, const QString& title) {
  auto* const dialog = new QFileDialog(&parent, title);
  dialog->setObjectName(name);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  return dialog;
}

QFileDialog* make_open_dialog(QWidget& parent, const QString& name, const QString& title,
                              const QString& kind) {
  QFileDialog* const dialog = make_file_dialog(parent, name, title);
  dialog->setFileMode(QFileDialog::ExistingFile);
  dialog->setNameFilters({kind, QCoreApplication::translate("FileDialog", "All files (*)")});
  return dialog;
}

QFileDialog* make_save_dialog(QWidget& parent, const QString& name, const QString& title,
                              const QString& file) {
  QFileDialog* const dialog = make_file_dialog(parent, name, title);
  dialog->setAcceptMode(QFileDialog::AcceptSave);
  dialog->setDirectory(folder_to_save_in());
  dialog->selectFile(file);
  QObject::connect(dialog, &QFileDialog::fileSelected, dialog, [](const QString& path) {
    QSettings().setValue(folder_key, QFileInfo(path).absolutePath());
  });
  return dialog;
}

}  // namespace stashscope::ui
