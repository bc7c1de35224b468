// Running the step: progress, cancel, and workers that die.

#include <signal.h>

#include <QComboBox>
#include <QFile>
#include <QProgressBar>
#include <QPushButton>

#include "tests/ui/support/window_test.h"
#include "ui/models/plan_tree_model.h"

namespace stashscope::ui::test {
namespace running_test {

using namespace Qt::StringLiterals;

/// Child processes of this process, of any thread.
std::vector<pid_t> children() {
  std::vector<pid_t> found;
  for (const QString& thread :
       QDir(u"/proc/self/task"_s).entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
    QFile file(u"/proc/self/task/%1/children"_s.arg(thread));
    if (!file.open(QIODevice::ReadOnly)) continue;
    for (const QByteArray& id : file.readAll().split(' ')) {
      if (id.toInt() > 0) found.push_back(id.toInt());
    }
  }
  return found;
}

class Running : public WindowTest {
 protected:
  void SetUp() override {
    WindowTest::SetUp();
    open(sample(u"gpt2_tiny"_s));
    Choices choices = document().choices();
    choices.dims["inputs_input_ids_dim0"] = 64;
    document().choose(choices, u"a run that lasts"_s);
    ASSERT_TRUE(settles());
    ASSERT_TRUE(children().empty());
  }

  void start_run() {
    click(find<QPushButton>(u"run_button"_s));
    ASSERT_TRUE(document().run_job().is_running());
    ASSERT_TRUE(comes_true([] { return !children().empty(); }));
  }

  void expect_usable() {
    EXPECT_FALSE(document().run_job().is_running());
    EXPECT_TRUE(find<QPushButton>(u"run_button"_s).isEnabled());
    EXPECT_EQ(document().measured(), nullptr);
    click_check_box(plans(), 0, PlanTreeModel::plan);
    EXPECT_TRUE(settles());
  }
};

TEST_F(Running, CanBeCancelled) {
  start_run();
  click(find<QPushButton>(u"cancel_run_button"_s));
  EXPECT_FALSE(document().run_job().is_running());
  EXPECT_TRUE(comes_true([] { return children().empty(); })) << "the worker goes with the run";
  EXPECT_EQ(message(), u""_s);
  expect_usable();
}

TEST_F(Running, CanBeCancelledByEscapeAndStartedAgain) {
  const auto& cancel = find<QAction>(u"cancel_run"_s);
  EXPECT_FALSE(cancel.isEnabled()) << "nothing goes on";
  start_run();
  EXPECT_TRUE(cancel.isEnabled());
  press(Qt::Key_Escape);
  EXPECT_FALSE(document().run_job().is_running());
  EXPECT_FALSE(cancel.isEnabled());
  press(Qt::Key_F5);
  ASSERT_TRUE(comes_true([this] { return !document().run_job().is_running(); }));
  ASSERT_NE(document().measured(), nullptr);
  EXPECT_EQ(document().measured()->largest_error, 0);
}

TEST_F(Running, TellsHowFarItIs) {
  double fraction = 0;
  QObject::connect(&document().run_job(), &RunJob::progressed, &document(),
                   [&](double now, const QString&) { fraction = std::max(fraction, now); });
  start_run();
  EXPECT_TRUE(find<QProgressBar>(u"run_progress"_s).isVisible());
  ASSERT_TRUE(comes_true([this] { return !document().run_job().is_running(); }));
  EXPECT_GT(fraction, 0);
  EXPECT_LE(fraction, 1);
  EXPECT_FALSE(find<QProgressBar>(u"run_progress"_s).isVisible());
}

TEST_F(Running, AWorkerThatIsKilledIsAMessage) {
  start_run();
  ::kill(children().front(), SIGKILL);
  ASSERT_TRUE(comes_true([this] { return !message().isEmpty(); }));
  EXPECT_TRUE(message().contains(u"killed"_s)) << message().toStdString();
  expect_usable();
}

TEST_F(Running, AWorkerThatCrashesIsAMessage) {
  start_run();
  ::kill(children().front(), SIGSEGV);
  ASSERT_TRUE(comes_true([this] { return !message().isEmpty(); }));
  expect_usable();
}

TEST_F(Running, ChoicesMadeMeanwhileAreNotTakenForMeasured) {
  start_run();
  click_check_box(plans(), 0, PlanTreeModel::plan);
  ASSERT_TRUE(settles());
  ASSERT_TRUE(comes_true([this] { return !document().run_job().is_running(); }));
  EXPECT_EQ(document().measured(), nullptr);
  press(Qt::Key_Z, Qt::ControlModifier);
  ASSERT_TRUE(settles());
  EXPECT_NE(document().measured(), nullptr) << "the measurement belongs to these choices";
}

TEST_F(Running, AnotherModelEndsTheRun) {
  start_run();
  open(sample(u"lenet"_s));
  EXPECT_FALSE(document().run_job().is_running());
  EXPECT_TRUE(comes_true([] { return children().empty(); }));
  EXPECT_EQ(document().measured(), nullptr);
}

TEST_F(Running, DevicesThatAreNotThereSayWhy) {
  auto& device = find<QComboBox>(u"device"_s);
  ASSERT_TRUE(comes_true([&] { return device.count() > 0; }));
  const int cuda = device.findData(u"cuda"_s);
  if (cuda < 0) GTEST_SKIP() << "there is one here";
  EXPECT_FALSE(device.model()->flags(device.model()->index(cuda, 0)).testFlag(Qt::ItemIsEnabled));
  EXPECT_FALSE(device.itemData(cuda, Qt::ToolTipRole).toString().isEmpty());
}

}  // namespace running_test
}  // namespace stashscope::ui::test
