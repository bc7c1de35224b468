#include "ui/widgets/file_dialog.h"

#include <QCoreApplication>

namespace stashscope::ui {

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

}  // namespace stashscope::ui
