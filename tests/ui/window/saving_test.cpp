// Where files are saved, what the File and Help menus say, and when there is something to cancel.

#include <QApplication>
#include <QDesktopServices>
#include <QFile>
#include <QFileDialog>
#include <QMenu>
#include <QPushButton>
#include <QScrollBar>
#include <QSettings>
#include <QShowEvent>
#include <QStandardPaths>
#include <QTextBrowser>

#include "tests/support/csv.h"
#include "tests/ui/support/window_test.h"
#include "ui/document/recent_files.h"
#include "ui/palette/commands.h"
#include "ui/text/texts.h"
#include "ui/widgets/document_dialog.h"
#include "ui/window/samples.h"

namespace stashscope::ui::test {
namespace saving_test {

using namespace Qt::StringLiterals;

class Saving : public WindowTest {
 protected:
  void SetUp() override {
    WindowTest::SetUp();
    ASSERT_TRUE(QDir(folder_.path()).mkpath(u"cache"_s));
    ASSERT_TRUE(QDir(folder_.path()).mkpath(u"results"_s));
    const QString model = in_folder(u"cache/bert.onnx"_s);
    ASSERT_TRUE(QFile::copy(sample(u"gpt2_tiny"_s), model));
    open(model);
  }
  void TearDown() override { QSettings().clear(); }

  void switch_plans_on() {
    Choices choices = document().choices();
    choices.plans.level = 1;
    document().choose(choices, u"level 1"_s);
    ASSERT_TRUE(settles());
  }
  /// The dialog that an action opens: its folder and the proposed name. Closes it.
  std::pair<QString, QString> proposed(const QString& action, const QString& dialog) {
    find<QAction>(action).trigger();
    auto& shown = find<QFileDialog>(dialog);
    const std::pair<QString, QString> answer = {
        shown.directory().canonicalPath(), QFileInfo(shown.selectedFiles().value(0)).fileName()};
    shown.reject();
    EXPECT_TRUE(comes_true([&] { return window().findChild<QFileDialog*>(dialog) == nullptr; }));
    return answer;
  }
};

TEST_F(Saving, AnEmptyConfigIsRefusedBeforeAFileIsAskedFor) {
  QAction& action = find<QAction>(u"export_environment"_s);
  action.trigger();
  EXPECT_EQ(window().findChild<QFileDialog*>(u"save_dialog"_s), nullptr);
  EXPECT_TRUE(message().startsWith(u"Nothing to export: no plan is on"_s))
      << message().toStdString();
  Choices choices = document().choices();
  choices.graph.passes = {"keep_loss_only"};
  document().choose(choices, u"pass"_s);
  ASSERT_TRUE(settles());
  action.trigger();
  EXPECT_EQ(window().findChild<QFileDialog*>(u"save_dialog"_s), nullptr);
  EXPECT_TRUE(message().startsWith(u"Nothing is exported"_s)) << message().toStdString();
  EXPECT_TRUE(message().contains(u"Keep only the loss"_s)) << message().toStdString();
  choices.graph.what_ifs = {{"attention", "flash"}};
  document().choose(choices, u"what-if"_s);
  ASSERT_TRUE(settles());
  action.trigger();
  EXPECT_TRUE(message().contains(u"Keep only the loss"_s)) << message().toStdString();
  EXPECT_TRUE(message().contains(shown(find_what_if("attention").words("flash"))))
      << message().toStdString();
  switch_plans_on();
  EXPECT_EQ(proposed(u"export_environment"_s, u"save_dialog"_s).second, u"bert.sh"_s);
}

TEST_F(Saving, BeginsBesideTheModelAndThenWhereTheLastFileWent) {
  switch_plans_on();
  const QString at_first = QDir(in_folder(u"cache"_s)).canonicalPath();
  const std::map<QString, QString> names = {{u"save_session_as"_s, u"bert.stashscope"_s},
                                            {u"save_model"_s, u"bert_modified.onnx"_s},
                                            {u"export_environment"_s, u"bert.sh"_s},
                                            {u"save_report"_s, u"bert.html"_s},
                                            {u"export_graph"_s, u"bert_graph_view.svg"_s}};
  for (const auto& [action, name] : names) {
    EXPECT_EQ(proposed(action, u"save_dialog"_s), std::pair(at_first, name));
  }
  const QString results = QDir(in_folder(u"results"_s)).canonicalPath();
  find<QAction>(u"save_session_as"_s).trigger();
  answer_file_dialog(u"save_dialog"_s, in_folder(u"results/a.stashscope"_s));
  ASSERT_TRUE(comes_true([this] { return !document().files().session_path().isEmpty(); }));
  for (const auto& [action, name] : names) {
    EXPECT_EQ(proposed(action, u"save_dialog"_s), std::pair(results, name));
  }
  press(Qt::Key_F5);
  ASSERT_TRUE(comes_true([this] { return document().measured() != nullptr; }));
  EXPECT_EQ(proposed(u"export_measurement"_s, u"export_dialog"_s),
            std::pair(results, u"bert.measurement.json"_s));
  ASSERT_TRUE(QDir(results).removeRecursively());
  EXPECT_EQ(proposed(u"save_model"_s, u"save_dialog"_s).first, at_first);
}

TEST_F(Saving, BeginsBesideTheNextModelToo) {
  find<QAction>(u"save_session_as"_s).trigger();
  answer_file_dialog(u"save_dialog"_s, in_folder(u"results/a.stashscope"_s));
  ASSERT_TRUE(comes_true([this] { return !document().files().session_path().isEmpty(); }));
  const QString next = in_folder(u"next.onnx"_s);
  ASSERT_TRUE(QFile::copy(sample(u"lenet"_s), next));
  open(next);
  EXPECT_EQ(proposed(u"save_report"_s, u"save_dialog"_s),
            std::pair(QDir(folder_.path()).canonicalPath(), u"next.html"_s));
  EXPECT_EQ(proposed(u"focused_save_data"_s, u"save_dialog"_s),
            std::pair(QDir(folder_.path()).canonicalPath(), u"next_graph_view.csv"_s));
}

/// The session waits for the study of the choices, and is written when the next model is opened.
TEST_F(Saving, ASessionWrittenAfterAnotherModelWasOpenedIsARecentFile) {
  Choices choices = document().choices();
  choices.plans.level = 1;
  document().choose(choices, u"level 1"_s);
  ASSERT_TRUE(document().study_job().is_busy());
  const QString session = in_folder(u"results/a.stashscope"_s);
  document().save_session_as(session);
  open(sample(u"lenet"_s));
  ASSERT_TRUE(comes_true([&] { return recent_files().contains(session); }));
  EXPECT_FALSE(recent_files().contains(QString()));
  EXPECT_EQ(document().files().session_path(), QString());
  EXPECT_EQ(proposed(u"compare"_s, u"compare_dialog"_s).first,
            QDir(in_folder(u"results"_s)).canonicalPath());
}

TEST_F(Saving, ThereIsSomethingToCancelOnlyDuringWork) {
  const QAction& cancel = find<QAction>(u"cancel_run"_s);
  EXPECT_FALSE(cancel.isEnabled());
  press(Qt::Key_F5);
  ASSERT_TRUE(document().run_job().is_running());
  EXPECT_TRUE(cancel.isEnabled());
  ASSERT_TRUE(comes_true([this] { return document().measured() != nullptr; }));
  ASSERT_TRUE(settles());
  EXPECT_FALSE(cancel.isEnabled());
  Choices choices = document().choices();
  choices.plans.level = 1;
  document().choose(choices, u"level 1"_s);
  ASSERT_TRUE(document().study_job().is_busy());
  EXPECT_TRUE(cancel.isEnabled());
  ASSERT_TRUE(settles());
  EXPECT_FALSE(cancel.isEnabled());
}

TEST_F(Saving, TheFileMenuGroupsWhatItSaves) {
  QStringList names;
  const QMenu& file = *window().menuBar()->actions().front()->menu();
  for (const QAction* const each : file.actions()) {
    const QString name = plain_text(each->text());
    names << (each->isSeparator() ? u"-"_s : name.section(u": "_s, 0, 0));
  }
  EXPECT_EQ(names, QStringList({u"Open…"_s, u"Open recent"_s, u"Open sample"_s,
                                u"Restore unsaved choices"_s, u"Compare with…"_s, u"-"_s,
                                u"Save session"_s, u"Save session as…"_s, u"-"_s,
                                u"Export config for ONNX Runtime (environment variables)…"_s,
                                u"Export plan for PyTorch…"_s, u"Save modified model…"_s, u"-"_s,
                                u"Save report…"_s, u"Export graph as a picture…"_s,
                                u"Pictures and data (CSV)"_s, u"-"_s, u"Quit"_s}))
      << names.join(u"|"_s).toStdString();
}

TEST_F(Saving, ThePaletteFindsTheExportUnderOldAndNewWords) {
  const std::vector<Command> commands = all_commands(*window().menuBar(), window());
  for (const char* const words : {"environment block", "export config", "environment variables"}) {
    const std::vector<RankedCommand> found = ranked(commands, QString::fromLatin1(words));
    ASSERT_FALSE(found.empty()) << words;
    EXPECT_EQ(found.front().command.action->objectName(), u"export_environment"_s) << words;
  }
}

TEST_F(Saving, TheDataOfAViewWaitForTheChosenStep) {
  const std::int64_t before = peak();
  for (QAction* const action : picture_actions(find<QWidget>(u"memory_view"_s))) {
    if (action->objectName() == u"save_data"_s) action->trigger();
  }
  auto& dialog = find<QFileDialog>(u"save_dialog"_s);
  Choices choices = document().choices();
  choices.plans.level = 1;
  document().choose(choices, u"level 1"_s);
  ASSERT_TRUE(document().study_job().is_busy());
  const QString path = in_folder(u"results/curve.csv"_s);
  Q_EMIT dialog.fileSelected(path);
  EXPECT_TRUE(message().contains(u"waiting"_s)) << message().toStdString();
  dialog.reject();
  ASSERT_TRUE(comes_true([&] { return message().contains(path); })) << message().toStdString();
  EXPECT_LT(peak(), before);
  QFile file(path);
  ASSERT_TRUE(file.open(QIODevice::ReadOnly));
  std::int64_t now = 0;
  const auto records = stashscope::test::read_csv(file.readAll().toStdString());
  const std::size_t bytes = stashscope::test::column_of(records, "bytes");
  for (std::size_t row = 1; row < records.size(); ++row) {
    if (records[row][0] == "now")
      now = std::max<std::int64_t>(now, std::stoll(records[row][bytes]));
  }
  EXPECT_EQ(now, peak());
}

TEST_F(Saving, TheDocumentAboutExportersIsShownInTheWindow) {
  QTextBrowser desktop;  // gets the file instead of the desktop's programs
  QDesktopServices::setUrlHandler(u"file"_s, &desktop, "setSource");
  find<QAction>(u"export_document"_s).trigger();
  auto& dialog = find<DocumentDialog>(u"document_dialog"_s);
  ASSERT_TRUE(dialog.isVisible());
  const auto& page = *dialog.findChild<QTextBrowser*>(u"document_page"_s);
  EXPECT_TRUE(page.toPlainText().contains(u"batch normalization in inference mode"_s));
  EXPECT_FALSE(page.accessibleName().isEmpty());
  EXPECT_TRUE(page.toPlainText().startsWith(u"What exporters change"_s));
  EXPECT_FALSE(page.toPlainText().contains(u"labelled_positions"_s)) << "the section after it";
  EXPECT_TRUE(desktop.source().isEmpty());
  QTest::mouseClick(dialog.findChild<QPushButton*>(u"document_browse"_s), Qt::LeftButton);
  EXPECT_EQ(desktop.source().toLocalFile(), documentation_page(u"passes.md"_s));
  QDesktopServices::unsetUrlHandler(u"file"_s);
  dialog.reject();
  ASSERT_TRUE(comes_true([this] { return window().findChild<DocumentDialog*>() == nullptr; }));
  start_window();
  click(find<QPushButton>(u"export_page"_s));
  EXPECT_TRUE(find<DocumentDialog>(u"document_dialog"_s).isVisible());
}

TEST_F(Saving, DocumentsOpenAtTheTopAndTheirCodeWraps) {
  find<QAction>(u"pytorch_document"_s).trigger();
  auto& dialog = find<DocumentDialog>(u"document_dialog"_s);
  const auto& page = *dialog.findChild<QTextBrowser*>(u"document_page"_s);
  dialog.resize(420, 400);
  ASSERT_TRUE(comes_true([&] { return page.verticalScrollBar()->maximum() > 0; }));
  EXPECT_EQ(page.verticalScrollBar()->value(), 0);
  EXPECT_TRUE(comes_true([&] { return page.horizontalScrollBar()->maximum() == 0; }))
      << "no line ends behind the edge";
  find<QAction>(u"pytorch_document"_s).trigger();
  EXPECT_EQ(window().findChildren<DocumentDialog*>().size(), 1) << "it comes to the front again";
}

}  // namespace saving_test
}  // namespace stashscope::ui::test
