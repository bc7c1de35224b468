// Runs the tests of the window without a display and without the user's settings. A warning of Qt
// makes the running test fail.

#include <gtest/gtest.h>

#include <QApplication>
#include <QSettings>
#include <QStandardPaths>
#include <QTemporaryDir>

#include "tests/ui/support/complaints.h"
#include "tests/ui/support/watchdog.h"

namespace stashscope::ui::test {
namespace {

/// What the offscreen platform cannot do; not an error of the program.
bool is_about_platform(const QString& text) {
  return text.startsWith(QStringLiteral("This plugin does not support"));
}

void keep_message(QtMsgType type, const QMessageLogContext&, const QString& text) {
  if (type != QtDebugMsg && type != QtInfoMsg && !is_about_platform(text)) add_complaint(text);
}

class FailOnComplaints : public testing::EmptyTestEventListener {
  void OnTestEnd(const testing::TestInfo&) override {
    for (const QString& text : take_complaints()) {
      ADD_FAILURE() << "Qt complained: " << text.toStdString();
    }
  }
};

int run(int argc, char** argv) {
  qputenv("QT_QPA_PLATFORM", "offscreen");
  testing::InitGoogleTest(&argc, argv);
  const QTemporaryDir home;
  for (const char* place :
       {"XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR"}) {
    qputenv(place, home.path().toLocal8Bit());
  }
  QSettings::setDefaultFormat(QSettings::IniFormat);
  QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, home.path());
  qInstallMessageHandler(keep_message);
  WatchedApplication application(argc, argv);
  QApplication::setOrganizationName(QStringLiteral("stashscope"));
  QApplication::setApplicationName(QStringLiteral("stashscope-tests"));
  testing::UnitTest::GetInstance()->listeners().Append(new FailOnComplaints);
  return RUN_ALL_TESTS();
}

}  // namespace
}  // namespace stashscope::ui::test

int main(int argc, char** argv) { return stashscope::ui::test::run(argc, argv); }
