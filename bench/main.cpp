// Runs a bench program that opens windows, by default without a display and without the user's
// settings.

#include <QSettings>

#include "bench/open_window.h"

namespace {

void prepare_settings(const QTemporaryDir& settings) {
  if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
  QSettings::setDefaultFormat(QSettings::IniFormat);
  QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, settings.path());
  // Discards Qt's warnings about features that the offscreen platform lacks.
  qInstallMessageHandler([](QtMsgType, const QMessageLogContext&, const QString&) {});
}

}  // namespace

int main(int argc, char** argv) {
  const QTemporaryDir settings;
  prepare_settings(settings);
  QApplication application(argc, argv);
  return stashscope::ui::bench::run(application, QApplication::arguments());
}
