#include "ui/widgets/file_dialog.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QSettings>
#include <QStandardPaths>

namespace stashscope::ui {

namespace {

using namespace Qt::StringLiterals;

constexpr auto folder_key = "files/save_folder"_L1;
/// The setting of the folder of the model for which a file was saved last.
constexpr auto model_folder_key = "files/save_folder_of"_L1;

QString folder_of(const QString& file) {
  return file.isEmpty() ? QString() : QFileInfo(file).absolutePath();
}

QString folder_to_save_in(const QString& model_folder) {
  const QString last = QSettings().value(folder_key).toString();
  const bool is_of_model = QSettings().value(model_folder_key).toString() == model_folder;
  const QStringList folders = {is_of_model ? last : model_folder, is_of_model ? model_folder : last,
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
                              const SaveProposal& proposal) {
  QFileDialog* const dialog = make_file_dialog(parent, name, title);
  dialog->setAcceptMode(QFileDialog::AcceptSave);
  const QString model_folder = folder_of(proposal.model);
  dialog->setDirectory(folder_to_save_in(model_folder));
  dialog->selectFile(proposal.file);
  QObject::connect(dialog, &QFileDialog::fileSelected, dialog, [model_folder](const QString& path) {
    QSettings().setValue(folder_key, folder_of(path));
    QSettings().setValue(model_folder_key, model_folder);
  });
  return dialog;
}

}  // namespace stashscope::ui
