#include "ui/panels/run/measurement_dialogs.h"

#include <QCoreApplication>
#include <QFileInfo>

#include "ui/document/measurement_files.h"
#include "ui/widgets/file_dialog.h"

namespace stashscope::ui {

namespace {

using namespace Qt::StringLiterals;

/// The translation context of the texts in this file.
struct MeasurementDialogs {
  Q_DECLARE_TR_FUNCTIONS(MeasurementDialogs)
};

}  // namespace

void ask_to_import_measurement(Document& document, QWidget& parent) {
  if (document.study() == nullptr) return;
  QFileDialog* const dialog =
      make_open_dialog(parent, u"import_dialog"_s, MeasurementDialogs::tr("Import a measurement"),
                       MeasurementDialogs::tr("Measurements (*.json)"));
  dialog->setDirectory(QFileInfo(document.model_path()).absolutePath());
  QObject::connect(dialog, &QFileDialog::fileSelected, &document,
                   [&document](const QString& path) { import_measurement(document, path); });
  dialog->open();
}

void ask_to_export_measurement(Document& document, QWidget& parent) {
  if (document.measured() == nullptr) return;
  const QString suffix = u"measurement.json"_s;
  const QFileInfo model(document.model_path());
  QFileDialog* const dialog =
      make_save_dialog(parent, u"export_dialog"_s, MeasurementDialogs::tr("Export the measurement"),
                       {document.model_path(), model.completeBaseName() + u'.' + suffix});
  dialog->setDefaultSuffix(suffix);
  QObject::connect(dialog, &QFileDialog::fileSelected, &document,
                   [&document](const QString& path) { export_measurement(document, path); });
  dialog->open();
}

}  // namespace stashscope::ui
