// Runs a program of the bench on windows without a display, away from the user's settings.

#include <QSettings>

#include "bench/open_window.h"

namespace {

void prepare_settings(const QTemporaryDir& settings) {
  if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
  QSettings::setDefaultFormat(QSettings::IniFormat);
  QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, settings.path());
  // The offscreen platform complains about what it cannot do.
  qInstallMessageHandler([](QtMsgType, const QMessageLogContext&, const QString&) {});
}

}  // namespace

int main(int argc, char** argv) {
  const QTemporaryDir settings;
  prepare_settings(settings);
  QApplication application(argc, argv);
  return stashscope::ui::bench::run(application, QApplication::arguments());
}
