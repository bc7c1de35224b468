// A program that is killed in the middle of its work loses neither the session that was saved nor
// the choices that were kept by themselves.

#include <gtest/gtest.h>

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTimer>

#include "core/base/files.h"
#include "tests/ui/support/samples.h"
#include "ui/document/autosave.h"

namespace stashscope::ui::test {
namespace killed_test {

using namespace Qt::StringLiterals;

constexpr const char* folder_variable = "STASHSCOPE_TEST_FOLDER";

/// The choices that the killed program makes in turn.
Choices choices_of(int number) {
  Choices choices;
  choices.dims["inputs_input_ids_dim0"] = 1 + number % 2;
  return choices;
}

bool is_one_of_them(const Choices& choices) {
  return choices == Choices() || choices == choices_of(0) || choices == choices_of(1);
}

/// Works like a user without rest: chooses, saves the session, and has its choices kept.
class RestlessProgram {
 public:
  explicit RestlessProgram(const QString& folder)
      : autosave_(document_, folder + u"/autosave"_s), session_(folder + u"/work.stashscope"_s) {
    document_.open(sample(u"gpt2_tiny"_s));
    QObject::connect(&document_, &Document::study_changed, &timer_, [this] {
      document_.save_session_as(session_);
      autosave_.save();
    });
    QObject::connect(&timer_, &QTimer::timeout, &timer_, [this] {
      if (!document_.study_job().is_busy()) document_.choose(choices_of(++number_), u"batch"_s);
      autosave_.save();
    });
    timer_.start(1);
  }

 private:
  Document document_;
  Autosave autosave_;
  QString session_;
  QTimer timer_;
  int number_ = 0;
};

/// Not a test by itself: the program that the test below kills.
TEST(RestlessPrograms, DISABLED_Run) {
  const QString folder = qEnvironmentVariable(folder_variable);
  ASSERT_FALSE(folder.isEmpty());
  const RestlessProgram program(folder);
  for (;;) QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
}

class Killed : public testing::Test {
 protected:
  QString session() const { return folder_.filePath(u"work.stashscope"_s); }

  void run_and_kill(int milliseconds) {
    QProcess program;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QString::fromLatin1(folder_variable), folder_.path());
    program.setProcessEnvironment(environment);
    program.start(
        QCoreApplication::applicationFilePath(),
        {u"--gtest_also_run_disabled_tests"_s, u"--gtest_filter=RestlessPrograms.DISABLED_Run"_s});
    ASSERT_TRUE(program.waitForStarted(patience));
    ASSERT_TRUE(comes_true([&] { return is_kept() && QFile::exists(session()); }));
    QTest::qWait(milliseconds);
    program.kill();
    ASSERT_TRUE(program.waitForFinished(patience));
    ASSERT_EQ(program.exitStatus(), QProcess::CrashExit);
  }

  bool is_kept() const {
    return !QDir(folder_.filePath(u"autosave"_s)).entryList({u"*.stashscope"_s}).isEmpty();
  }

  void expect_whole(const QString& file) const {
    const Session read = parse_session(read_file(file.toStdString()), folder_.path().toStdString());
    EXPECT_TRUE(is_one_of_them(read.choices)) << file.toStdString();
    EXPECT_TRUE(read.model.filename() == "gpt2_tiny.onnx") << read.model;
  }

  QTemporaryDir folder_;
};

TEST_F(Killed, LosesNeitherSessionNorKeptChoices) {
  for (int round = 0; round < 8; ++round) {
    run_and_kill(5 + 13 * round);
    expect_whole(session());
    Document document;
    const Autosave autosave(document, folder_.filePath(u"autosave"_s));
    const auto abandoned = autosave.abandoned();
    ASSERT_LE(abandoned.size(), 1U);
    // Empty if it was killed while the session had all choices.
    for (const Autosave::Abandoned& each : abandoned) {
      expect_whole(each.file);
      autosave.discard(each);
    }
    EXPECT_EQ(QDir(folder_.filePath(u"autosave"_s)).entryList({u"*.part-*"_s}), QStringList())
        << "what was being written is cleared away";
  }
}

}  // namespace killed_test
}  // namespace stashscope::ui::test
