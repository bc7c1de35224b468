// Warm-up and repeats, measurements from and to files, runs on another machine through a fake ssh.

#include "ui/panels/run/run_panel.h"
#include "core/run/devices/devices.h"

#include <QFile>
#include <QLineEdit>
#include <QScrollBar>
#include <QSettings>
#include <filesystem>

#include "tests/support/processes.h"
#include "tests/ui/support/window_test.h"
#include "ui/document/run_settings.h"
#include "ui/models/plan_tree_model.h"

namespace stashscope::ui::test {
namespace run_panel_test {

using namespace Qt::StringLiterals;

const QString batch = u"inputs_input_ids_dim0"_s;

class RunPanelTest : public WindowTest {
 protected:
  void SetUp() override {
    QSettings().remove(u"run"_s);
    WindowTest::SetUp();
    open(sample(u"gpt2_tiny"_s));
  }
  void TearDown() override {
    window_.reset();
    qunsetenv("STASHSCOPE_SSH");
    QSettings().remove(u"run"_s);
  }

  QString result() { return find<QLabel>(u"run_result"_s).text(); }

  void type_count(const QString& name, const QString& number) {
    auto& box = find<QSpinBox>(name);
    box.setFocus();
    box.selectAll();
    QTest::keyClicks(&box, number);
    QTest::keyClick(&box, Qt::Key_Return);
  }
  void type_line(QLineEdit& line, const QString& text) {
    line.setFocus();
    line.selectAll();
    QTest::keyClicks(&line, text);
    QTest::keyClick(&line, Qt::Key_Return);
  }
  void type_host(const QString& host) {
    type_line(*find<QComboBox>(u"run_host"_s).lineEdit(), host);
  }
  void type_worker(const QString& path) { type_line(find<QLineEdit>(u"run_worker"_s), path); }

  void save_and_open_again() {
    const QString file = in_folder(u"runs.stashscope"_s);
    press(Qt::Key_S, Qt::ControlModifier);
    answer_file_dialog(u"save_dialog"_s, file);
    ASSERT_TRUE(comes_true([&] { return QFile::exists(file); }));
    start_window();
    open(file);
  }

  /// The box of devices, after it has listed them.
  QComboBox& device() {
    auto& box = find<QComboBox>(u"device"_s);
    EXPECT_TRUE(comes_true([&] { return box.count() > 0; }));
    return box;
  }
  bool can_choose(int row) {
    const QAbstractItemModel& model = *device().model();
    return model.flags(model.index(row, 0)).testFlag(Qt::ItemIsEnabled);
  }
  void take_device(const std::string& name) {
    Choices choices = document().choices();
    choices.device = choice_of(name, no_device);
    document().choose(choices, u"device"_s);
  }

  /// Presses Run and waits for the end, whether it succeeds or not.
  void run() {
    click(find<QWidget>(u"run_button"_s));
    ASSERT_TRUE(document().run_job().is_running());
    ASSERT_TRUE(comes_true([this] { return !document().run_job().is_running(); }));
  }
  void run_well() {
    run();
    ASSERT_NE(document().measured(), nullptr) << message().toStdString();
    EXPECT_EQ(document().measured()->largest_error, 0);
  }

  /// A program that replaces ssh; `$command` is what the other machine's shell would get.
  void pretend_ssh(const std::string& lines) {
    const auto program = stashscope::test::script(in_folder(u"ssh"_s).toStdString(),
                                                  "for command; do :; done\n" + lines);
    qputenv("STASHSCOPE_SSH", QByteArray::fromStdString(program.string()));
  }
  void run_there(const std::string& ssh) {
    pretend_ssh(ssh);
    type_host(u"alice@box:2222"_s);
    type_worker(worker());
  }
  static QString worker() {
    const std::filesystem::path program = STASHSCOPE_PROGRAM;
    return QString::fromStdString((program.parent_path() / "stashscope-run").string());
  }
};

TEST_F(RunPanelTest, RepeatsByKeyboardAreMediansAndRemembered) {
  type_count(u"warm_up"_s, u"1"_s);
  type_count(u"repeats"_s, u"3"_s);
  QStringList stages;
  QObject::connect(&document().run_job(), &RunJob::progressed, &document(),
                   [&](double, const QString& stage) { stages << stage; });
  run_well();
  EXPECT_EQ(document().measured()->runs.current.repeats, 3);
  EXPECT_EQ(document().measured()->runs.current.repeat_difference, 0);
  EXPECT_TRUE(result().contains(u"medians of 3 runs"_s)) << result().toStdString();
  ASSERT_FALSE(stages.isEmpty());
  for (const QString& stage : stages) EXPECT_TRUE(stage.contains(u" of "_s)) << stage.toStdString();

  start_window();
  EXPECT_EQ(find<QSpinBox>(u"warm_up"_s).value(), 1);
  EXPECT_EQ(find<QSpinBox>(u"repeats"_s).value(), 3);
  EXPECT_EQ(document().run_job().request().counts, (RunCounts{1, 3}));
}

TEST_F(RunPanelTest, RepeatsStayInTheSession) {
  type_count(u"repeats"_s, u"2"_s);
  run_well();
  const Measured measured = *document().measured();
  save_and_open_again();
  ASSERT_NE(document().measured(), nullptr);
  EXPECT_EQ(document().measured()->runs.current, measured.runs.current);
  EXPECT_TRUE(result().contains(u"medians of 2 runs"_s));
}

TEST_F(RunPanelTest, AMeasurementGoesIntoAFileAndComesBack) {
  EXPECT_FALSE(find<QWidget>(u"export_button"_s).isEnabled());
  run_well();
  const Measurement measured = document().measured()->runs.current;
  click(find<QWidget>(u"export_button"_s));
  answer_file_dialog(u"export_dialog"_s, in_folder(u"run.json"_s));
  ASSERT_TRUE(comes_true([this] { return message().contains(u"Exported"_s); }));

  start_window();
  open(sample(u"gpt2_tiny"_s));
  EXPECT_EQ(document().measured(), nullptr);
  click(find<QWidget>(u"import_button"_s));
  answer_file_dialog(u"import_dialog"_s, in_folder(u"run.json"_s));
  ASSERT_TRUE(comes_true([this] { return document().measured() != nullptr; }));
  EXPECT_EQ(document().measured()->runs.current, measured);
  EXPECT_TRUE(status().contains(u"measured"_s));
  EXPECT_TRUE(find<QWidget>(u"export_button"_s).isEnabled());
}

TEST_F(RunPanelTest, AMeasurementOfAnotherStepIsRefused) {
  run_well();
  click(find<QWidget>(u"export_button"_s));
  answer_file_dialog(u"export_dialog"_s, in_folder(u"run.json"_s));
  ASSERT_TRUE(comes_true([this] { return message().contains(u"Exported"_s); }));
  click_check_box(plans(), 0, PlanTreeModel::plan);
  ASSERT_TRUE(settles());
  find<QAction>(u"import_measurement"_s).trigger();
  answer_file_dialog(u"import_dialog"_s, in_folder(u"run.json"_s));
  ASSERT_TRUE(comes_true([this] { return message().contains(u"other plans"_s); }))
      << message().toStdString();
  EXPECT_TRUE(message().contains(u"run.json"_s));
  EXPECT_EQ(document().measured(), nullptr);
}

TEST_F(RunPanelTest, RunsOnAnotherMachine) {
  run_there("echo \"$@\" >'" + in_folder(u"arguments"_s).toStdString() +
            "'\nexec sh -c \"$command\"");
  const QByteArray before = qgetenv("TMPDIR");
  QDir().mkdir(in_folder(u"there"_s));
  qputenv("TMPDIR", in_folder(u"there"_s).toLocal8Bit());
  run_well();
  before.isEmpty() ? qunsetenv("TMPDIR") : qputenv("TMPDIR", before);
  EXPECT_EQ(document().measured()->runs.current.device, "cpu on alice@box:2222");
  EXPECT_TRUE(result().contains(u"alice@box:2222"_s)) << result().toStdString();
  QFile arguments(in_folder(u"arguments"_s));
  ASSERT_TRUE(arguments.open(QIODevice::ReadOnly));
  EXPECT_TRUE(arguments.readAll().contains("-p 2222 -- alice@box"));
  EXPECT_TRUE(QDir(in_folder(u"there"_s)).isEmpty()) << "nothing is left over there";

  start_window();
  EXPECT_EQ(find<QComboBox>(u"run_host"_s).currentText(), u"alice@box:2222"_s);
  EXPECT_EQ(find<QLineEdit>(u"run_worker"_s).text(), worker());
  choose_entry(u"run_host"_s, 0);
  EXPECT_FALSE(document().run_job().request().host);
  EXPECT_FALSE(find<QWidget>(u"run_worker"_s).isVisible());
}

TEST_F(RunPanelTest, AConnectionThatIsLostHalfWayIsAMessage) {
  run_there(
      "sh -c \"$command\" | head -n 40\necho 'Connection to box closed by remote host.' >&2\n"
      "exit 255");
  run();
  EXPECT_TRUE(message().contains(u"alice@box"_s)) << message().toStdString();
  EXPECT_TRUE(message().contains(u"the connection was lost"_s)) << message().toStdString();
  EXPECT_EQ(document().measured(), nullptr);
  pretend_ssh("exec sh -c \"$command\"");
  run_well();
}

TEST_F(RunPanelTest, AnEndWithoutAWordIsAMessageToo) {
  run_there("sh -c \"$command\" 2>/dev/null | head -n 40");
  run();
  EXPECT_TRUE(message().contains(u"stopped before the end"_s)) << message().toStdString();
  EXPECT_TRUE(message().contains(u"alice@box"_s)) << message().toStdString();
}

TEST_F(RunPanelTest, AStepThatFitsOnlyWithItsPlansIsShownAlone) {
  run_there("sh -c \"$command\" | sed -e '0,/^T /s/^T .*/O no room for it/'");
  run_well();
  EXPECT_FALSE(document().measured()->runs.baseline);
  EXPECT_TRUE(result().contains(u"–"_s)) << result().toStdString();
  EXPECT_TRUE(result().contains(u"no room for it"_s)) << result().toStdString();
  save_and_open_again();
  ASSERT_NE(document().measured(), nullptr);
  EXPECT_FALSE(document().measured()->runs.baseline);
  EXPECT_TRUE(result().contains(u"no room for it"_s)) << result().toStdString();
}

TEST_F(RunPanelTest, FailuresOfSshSayWhatToDo) {
  run_there("echo 'Host key verification failed.' >&2; exit 255");
  run();
  EXPECT_TRUE(message().contains(u"Host key verification failed"_s)) << message().toStdString();
  EXPECT_TRUE(message().contains(u"in a terminal"_s)) << message().toStdString();
  pretend_ssh("exec sh -c \"$command\"");
  type_worker(u"no-such-worker"_s);
  run();
  EXPECT_TRUE(message().contains(u"'no-such-worker' is missing"_s)) << message().toStdString();
  qputenv("STASHSCOPE_SSH", "/no/such/ssh");
  run();
  EXPECT_TRUE(message().contains(u"ssh client"_s)) << message().toStdString();
}

TEST_F(RunPanelTest, WhatFitsInAFullDeviceCanBeReadAndCopied) {
  std::string config;
  for (int i = 0; i < 250; ++i)
    config += (i == 0 ? "" : ",") + ("Gelu+:" + std::to_string(i)) + ":1";
  const std::string words =
      "stashscope-run: device cuda:0 is out of memory (a plan with a peak of 9.31 GiB fits: " +
      config + " at probe 1)";
  const Choices before = document().choices();
  const QSize size = window().size();
  run_there("echo '" + words + "' >&2; exit 3");
  run();
  EXPECT_TRUE(message().contains(QString::fromStdString(words))) << message().toStdString();
  QCoreApplication::processEvents();
  EXPECT_EQ(window().size(), size) << "a word without end makes nothing wider";
  auto& text = find<MessageText>(u"message_text"_s);
  EXPECT_LT(window().minimumSizeHint().width(), size.width());
  EXPECT_LT(text.height(), size.height() / 2);
  EXPECT_GT(text.verticalScrollBar()->maximum(), 0) << "the rest is scrolled to";
  text.setFocus();
  QTest::keyClick(&text, Qt::Key_A, Qt::ControlModifier);
  EXPECT_EQ(text.textCursor().selectedText(), message());

  EXPECT_EQ(document().measured(), nullptr);
  EXPECT_EQ(document().choices(), before) << "nothing is chosen for the user";
  pretend_ssh("exec sh -c \"$command\"");
  run_well();
}

TEST_F(RunPanelTest, AShortMessageTakesAShortRoom) {
  run_there("echo 'no room' >&2; exit 3");
  run();
  QCoreApplication::processEvents();
  auto& text = find<MessageText>(u"message_text"_s);
  EXPECT_LT(text.height(), 3 * text.fontMetrics().lineSpacing());
  EXPECT_EQ(text.verticalScrollBar()->maximum(), 0);
}

TEST_F(RunPanelTest, ADeviceThatASessionNamesIsShown) {
  QComboBox& box = device();
  const std::vector<DeviceInfo> devices = list_devices();
  const auto shown_for = [&](const std::string& name) {
    take_device(name);
    return box.currentIndex();
  };
  EXPECT_EQ(shown_for("cpu"), 0);
  EXPECT_EQ(shown_for("cuda"), 1) << "the first GPU, or why there is none";
  EXPECT_EQ(box.toolTip(), box.itemText(1));
  EXPECT_EQ(shown_for("none"), 0);
  EXPECT_EQ(shown_for("cuda:99"), devices[1].available ? -1 : 1);
  EXPECT_TRUE(box.toolTip().contains(u"cuda"_s));
}

TEST_F(RunPanelTest, AnEmptyWindowDoesNotWaitForDevices) {
  Document document;
  const RunPanel panel(document);
  const auto* const box = panel.findChild<QComboBox*>(u"device"_s);
  EXPECT_EQ(box->count(), 0) << "what is found arrives as an event";
  EXPECT_EQ(box->placeholderText(), u"Looking for devices…"_s);
  EXPECT_TRUE(comes_true([&] { return box->count() > 1; }));
  EXPECT_EQ(box->currentIndex(), 0);
}

TEST_F(RunPanelTest, CancelEndsTheConnection) {
  const QString started = in_folder(u"started"_s);
  run_there("echo $$ >'" + started.toStdString() + "'\nexec sleep 600");
  click(find<QWidget>(u"run_button"_s));
  qint64 id = 0;
  ASSERT_TRUE(comes_true([&] {
    QFile file(started);
    if (file.open(QIODevice::ReadOnly)) id = file.readAll().trimmed().toLongLong();
    return id > 0;
  }));
  click(find<QWidget>(u"cancel_run_button"_s));
  EXPECT_FALSE(document().run_job().is_running());
  EXPECT_TRUE(comes_true([&] { return !QFile::exists(u"/proc/%1"_s.arg(id)); }));
  EXPECT_EQ(message(), u""_s);
}

TEST_F(RunPanelTest, WhatIsNoMachineIsTakenBackAndSaid) {
  for (const QString& text : {u"-oProxyCommand=x"_s, u"a@b; touch x"_s}) {
    type_host(text);
    EXPECT_TRUE(message().contains(text)) << message().toStdString();
    EXPECT_FALSE(document().run_job().request().host);
    EXPECT_EQ(find<QComboBox>(u"run_host"_s).currentText(), u"this computer"_s);
  }
  EXPECT_TRUE(recent_hosts().isEmpty());
}

TEST_F(RunPanelTest, TheOtherMachineMayHaveDevicesThatAreNotHere) {
  const int cuda = device().findData(u"cuda"_s);
  if (cuda < 0) GTEST_SKIP() << "there is one here";
  EXPECT_FALSE(can_choose(cuda));
  pretend_ssh("exec sh -c \"$command\"");
  type_host(u"alice@box"_s);
  const int second = device().findData(u"cuda:1"_s);
  ASSERT_GE(second, 0);
  EXPECT_TRUE(can_choose(second));
  type_worker(worker());
  choose_entry(u"device"_s, second);
  EXPECT_EQ(document().choices().device, "cuda:1");
  EXPECT_EQ(device().currentText(), u"cuda:1"_s);
  EXPECT_TRUE(find<QAction>(u"device_cuda:1"_s).isChecked());
  ASSERT_TRUE(settles());
  run();
  EXPECT_TRUE(message().contains(u"device 'cuda:1'"_s)) << message().toStdString();

  choose_entry(u"run_host"_s, 0);
  EXPECT_GE(device().findData(u"cuda"_s), 0);
  EXPECT_FALSE(device().isEditable());
  EXPECT_EQ(document().choices().device, "cuda:1") << "nothing is chosen for the user";
}

TEST_F(RunPanelTest, AnyDeviceOfTheOtherMachineIsShownAndCanBeTyped) {
  type_host(u"alice@box"_s);
  take_device("cuda:12");
  EXPECT_EQ(device().currentText(), u"cuda:12"_s) << "nobody here knows whether it is there";
  EXPECT_FALSE(device().toolTip().contains(u"not available"_s));
  QLineEdit& line = *device().lineEdit();
  type_line(line, u"cuda:9"_s);
  EXPECT_EQ(document().choices().device, "cuda:9");
  type_line(line, u"cuda:3"_s);
  EXPECT_EQ(document().choices().device, "cuda:3");
  EXPECT_EQ(device().currentIndex(), device().findData(u"cuda:3"_s));
  type_line(line, u"tpu"_s);
  EXPECT_TRUE(message().contains(u"device 'tpu': is not known"_s)) << message().toStdString();
  EXPECT_EQ(document().choices().device, "cuda:3");
  EXPECT_EQ(device().currentText(), u"cuda:3"_s);
}

TEST_F(RunPanelTest, LeavingTheDeviceChangesNothing) {
  type_host(u"alice@box"_s);
  take_device("cuda");
  EXPECT_EQ(device().currentText(), u"cuda:0"_s);
  const int edits = document().undo_stack().count();
  device().setFocus();
  QTest::keyClick(device().lineEdit(), Qt::Key_Tab);
  EXPECT_EQ(document().undo_stack().count(), edits);
  EXPECT_EQ(document().choices().device, "cuda");
}

}  // namespace run_panel_test
}  // namespace stashscope::ui::test
