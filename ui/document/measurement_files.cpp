#include "ui/document/measurement_files.h"

#include "core/study/measured/measurement_file.h"

namespace stashscope::ui {

void import_measurement(Document& document, const QString& path) {
  if (document.study() == nullptr) return;
  const auto job = [&document, study = document.study(), file = path.toStdString()] {
    Measured measured{study->choices, load_measurements(file, *study), 0};
    measured.largest_error = largest_error(*study, measured.runs);
    QMetaObject::invokeMethod(
        &document,
        [&document, study, measured] {
          if (document.study()->model == study->model) document.take_measured(measured);
        },
        Qt::QueuedConnection);
  };
  document.files().write_in_background(Document::tr("Imported %1").arg(path), job);
}

void export_measurement(Document& document, const QString& path) {
  if (document.measured() == nullptr) return;
  document.files().write_file(
      path, Document::tr("Exported %1").arg(path),
      [study = document.study(), runs = document.measured()->runs, file = path.toStdString()] {
        save_measurements(*study, runs, file);
      });
}

}  // namespace stashscope::ui
