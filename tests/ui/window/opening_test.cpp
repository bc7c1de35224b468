// The ways to open a file in the window, and what is shown when it fails.

#include <QApplication>
#include <QDropEvent>
#include <QFile>
#include <QFileDialog>
#include <QLineEdit>
#include <QMimeData>
#include <QPushButton>
#include <QScrollBar>

#include "core/onnx/model_file.h"
#include "tests/support/named_model.h"
#include "tests/ui/support/window_test.h"
#include "ui/document/recent_files.h"
#include "ui/models/plan_tree_model.h"

namespace stashscope::ui::test {
namespace opening_test {

using namespace Qt::StringLiterals;

class Opening : public WindowTest {
 protected:
  void drop(const QString& path) {
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(path)});
    QDragEnterEvent enter({50, 50}, Qt::CopyAction, &data, Qt::LeftButton, {});
    QApplication::sendEvent(window_.get(), &enter);
    ASSERT_TRUE(enter.isAccepted());
    QDropEvent event({50, 50}, Qt::CopyAction, &data, Qt::LeftButton, {});
    QApplication::sendEvent(window_.get(), &event);
  }

  QString write(const QString& name, const QByteArray& contents) {
    QFile file(in_folder(name));
    EXPECT_TRUE(file.open(QIODevice::WriteOnly));
    file.write(contents);
    return file.fileName();
  }

  bool is_open(const QString& path) {
    return document().study() != nullptr &&
           document().model_path() == QFileInfo(path).canonicalFilePath();
  }
};

TEST_F(Opening, TheEmptyWindowInvites) {
  EXPECT_TRUE(find<QWidget>(u"welcome"_s).isVisible());
  EXPECT_EQ(message(), u""_s);
  EXPECT_FALSE(find<QWidget>(u"plans_dock"_s).isVisible());
  for (const auto key : {Qt::Key_S, Qt::Key_Z, Qt::Key_F, Qt::Key_P}) {
    press(key, Qt::ControlModifier);
  }
  press(Qt::Key_F5);
  press(Qt::Key_Escape);
  EXPECT_FALSE(document().run_job().is_running());
}

TEST_F(Opening, ASampleOfTheWelcomePage) {
  QPushButton* button = nullptr;
  for (QPushButton* const each : window().findChildren<QPushButton*>(u"welcome_file"_s)) {
    if (each->text() == u"lenet"_s) button = each;
  }
  ASSERT_NE(button, nullptr);
  click(*button);
  ASSERT_TRUE(settles());
  EXPECT_TRUE(is_open(sample(u"lenet"_s)));
  EXPECT_TRUE(window().graph().isVisible());
  EXPECT_FALSE(find<QWidget>(u"welcome"_s).isVisible());
  EXPECT_TRUE(find<QWidget>(u"plans_dock"_s).isVisible());
}

TEST_F(Opening, RecentFilesAreToldApartByTheirFolders) {
  EXPECT_EQ(name_of_file(u"/models/vit/model.onnx"_s), u"vit/model.onnx"_s);
  open(sample(u"lenet"_s));
  EXPECT_TRUE(window().windowTitle().contains(name_of_file(sample(u"lenet"_s))))
      << window().windowTitle().toStdString();
  start_window();
  QStringList names;
  for (QPushButton* const each : window().findChildren<QPushButton*>(u"welcome_file"_s)) {
    names.push_back(each->text());
  }
  EXPECT_TRUE(names.contains(name_of_file(sample(u"lenet"_s))))
      << names.join(u", "_s).toStdString();
}

TEST_F(Opening, ByTheFileDialog) {
  click(find<QPushButton>(u"welcome_open"_s));
  answer_file_dialog(u"open_dialog"_s, sample(u"mlp_gelu"_s));
  ASSERT_TRUE(settles());
  EXPECT_TRUE(is_open(sample(u"mlp_gelu"_s)));
}

TEST_F(Opening, DialogsStartInTheFolderOfTheModel) {
  const auto folder_of_dialog = [this](const QString& action, const QString& name) {
    find<QAction>(action).trigger();
    auto& dialog = find<QFileDialog>(name);
    const QString folder = dialog.directory().canonicalPath();
    dialog.reject();
    QTest::qWait(0);
    return folder;
  };
  const QString model = in_folder(u"model.onnx"_s);
  ASSERT_TRUE(QFile::copy(sample(u"lenet"_s), model));
  const QString folder = QFileInfo(in_folder({})).canonicalFilePath();
  open(sample(u"gpt2_tiny"_s));
  open(model);
  EXPECT_EQ(folder_of_dialog(u"open"_s, u"open_dialog"_s), folder);
  EXPECT_EQ(folder_of_dialog(u"compare"_s, u"compare_dialog"_s), folder);
  start_window();
  EXPECT_EQ(folder_of_dialog(u"open"_s, u"open_dialog"_s), folder) << "of the newest recent file";
}

TEST_F(Opening, ByDropping) {
  drop(sample(u"gpt2_tiny"_s));
  ASSERT_TRUE(settles());
  EXPECT_TRUE(is_open(sample(u"gpt2_tiny"_s)));
  drop(sample(u"lenet"_s));
  ASSERT_TRUE(comes_true([&] { return is_open(sample(u"lenet"_s)); }));
  ASSERT_TRUE(settles());
}

TEST_F(Opening, ABadFileLeavesTheOldModelAlone) {
  open(sample(u"gpt2_tiny"_s));
  const auto study = document().study();
  const QString bad = write(u"bad.onnx"_s, "this is no model");
  drop(bad);
  ASSERT_TRUE(comes_true([this] { return !message().isEmpty(); }));
  EXPECT_TRUE(message().contains(u"bad.onnx"_s)) << message().toStdString();
  EXPECT_EQ(document().study(), study);
  click_check_box(plans(), 0, PlanTreeModel::plan);
  ASSERT_TRUE(settles());
  EXPECT_NE(document().study(), study);
  EXPECT_EQ(message(), u""_s) << "an error goes once the user went on";
}

TEST_F(Opening, AModelWhoseShapesDoNotFitIsNamed) {
  open(sample(u"gpt2_tiny"_s));
  stashscope::test::ModelBuilder model;
  model.input("x", {"N", 3}).weight("w", {5, 4});
  model.node("MatMul", {"x", "w"}, {"y"}).output("y");
  const QString bad = in_folder(u"unfit.onnx"_s);
  save_model(*stashscope::test::named(model), bad.toStdString());
  drop(bad);
  ASSERT_TRUE(comes_true([this] { return !message().isEmpty(); }));
  EXPECT_TRUE(message().contains(u"unfit.onnx"_s)) << message().toStdString();
  EXPECT_TRUE(message().contains(u"MatMul"_s)) << message().toStdString();
}

TEST_F(Opening, ABadFileInAnEmptyWindow) {
  document().open(in_folder(u"missing.onnx"_s));
  ASSERT_TRUE(comes_true([this] { return !message().isEmpty(); }));
  EXPECT_TRUE(message().contains(u"missing.onnx"_s)) << message().toStdString();
  EXPECT_TRUE(find<QWidget>(u"welcome"_s).isVisible());
  open(sample(u"lenet"_s));
  EXPECT_EQ(message(), u""_s);
}

TEST_F(Opening, ABrokenSession) {
  document().open(write(u"broken.stashscope"_s, "{ \"stashscope_session\": "));
  ASSERT_TRUE(comes_true([this] { return !message().isEmpty(); }));
  EXPECT_TRUE(message().contains(u"broken.stashscope"_s)) << message().toStdString();
}

TEST_F(Opening, ASessionWhoseModelIsGone) {
  const QString model = in_folder(u"model.onnx"_s);
  ASSERT_TRUE(QFile::copy(sample(u"mlp_gelu"_s), model));
  open(model);
  document().save_session_as(in_folder(u"a.stashscope"_s));
  ASSERT_TRUE(comes_true([this] { return !message().isEmpty(); }));
  ASSERT_TRUE(QFile::remove(model));
  start_window();
  document().open(in_folder(u"a.stashscope"_s));
  ASSERT_TRUE(comes_true([this] { return !message().isEmpty(); }));
  EXPECT_TRUE(message().contains(u"model.onnx"_s)) << message().toStdString();
}

TEST_F(Opening, TheNewestOfSeveralIsShown) {
  document().open(sample(u"gpt2_tiny"_s));
  document().open(sample(u"lenet"_s));
  document().open(sample(u"mlp_gelu"_s));
  ASSERT_TRUE(settles());
  EXPECT_TRUE(is_open(sample(u"mlp_gelu"_s)));
}

TEST_F(Opening, TablesBeginWithTheirFirstRowForAnotherModel) {
  open(sample(u"gpt2_tiny"_s));
  window().workspaces().choose(u"plan"_s);
  window().resize(900, 600);
  QCoreApplication::processEvents();
  QScrollBar& bar = *plans().verticalScrollBar();
  plans().expandAll();
  QCoreApplication::processEvents();
  ASSERT_GT(bar.maximum(), 0);
  bar.setValue(bar.maximum());
  ASSERT_TRUE(QFile::copy(sample(u"gpt2_tiny"_s), in_folder(u"other.onnx"_s)));
  open(in_folder(u"other.onnx"_s));
  ASSERT_GT(bar.maximum(), 0);
  EXPECT_EQ(bar.value(), 0);
}

TEST_F(Opening, SearchWalksThroughTheNodes) {
  open(sample(u"gpt2_tiny"_s));
  press(Qt::Key_F, Qt::ControlModifier);
  auto& search = find<QLineEdit>(u"graph_search"_s);
  ASSERT_EQ(QApplication::focusWidget(), &search);
  QTest::keyClicks(&search, u"softmax"_s);
  QTest::keyClick(&search, Qt::Key_Return);
  const NodeId first = document().selection().node();
  ASSERT_TRUE(first.valid());
  QTest::keyClick(&search, Qt::Key_Return);
  EXPECT_NE(document().selection().node(), first);
  press(Qt::Key_F3, Qt::ShiftModifier);
  EXPECT_EQ(document().selection().node(), first);
}

TEST_F(Opening, QuickReturnsShowTheLastHit) {
  open(sample(u"gpt2_tiny"_s));
  GraphView& view = window().graph().view();
  auto& search = find<QLineEdit>(u"graph_search"_s);
  search.setFocus();
  QTest::keyClicks(&search, u"softmax"_s);
  const auto is_shown = [&] {
    const layout::Drawing& drawing = view.scene()->drawing();
    const NodeId node = document().selection().node();
    const layout::DrawnBox& box = drawing.boxes[drawing.box_of[node]];
    return box.shows.node == node &&
           view.rect().toRectF().contains(view.camera().to_screen(to_qt(box.rect)).center());
  };
  for (int presses = 2; presses <= 3; ++presses) {
    for (int i = 0; i < presses; ++i) QTest::keyClick(&search, Qt::Key_Return);
    ASSERT_TRUE(settles());
    EXPECT_TRUE(is_shown()) << presses;
    window().graph().close_groups();
    ASSERT_TRUE(settles());
  }
}

TEST_F(Opening, AHitIsShownOnceTheGraphShowsTheStep) {
  open(sample(u"gpt2_tiny"_s));
  GraphView& view = window().graph().view();
  auto& search = find<QLineEdit>(u"graph_search"_s);
  search.setFocus();
  QTest::keyClicks(&search, u"softmax"_s);
  const auto shown_study = view.scene()->picture().study;
  Choices choices = document().choices();
  choices.plans.level = 1;
  document().choose(choices, u"level 1"_s);
  ASSERT_TRUE(comes_true([&] { return document().study() != shown_study; }));
  QTest::keyClick(&search, Qt::Key_Return);
  ASSERT_TRUE(settles());
  const layout::Drawing& drawing = view.scene()->drawing();
  const NodeId hit = document().selection().node();
  EXPECT_EQ(drawing.boxes[drawing.box_of[hit]].shows.node, hit);
}

TEST_F(Opening, AHitInsideAClosedGroupIsShown) {
  open(sample(u"gpt2_tiny"_s));
  GraphView& view = window().graph().view();
  const auto box_of_selected = [&]() -> const layout::DrawnBox& {
    const layout::Drawing& drawing = view.scene()->drawing();
    return drawing.boxes[drawing.box_of[document().selection().node()]];
  };
  auto& search = find<QLineEdit>(u"graph_search"_s);
  auto& matches = find<QLabel>(u"graph_matches"_s);
  search.setFocus();
  QTest::keyClicks(&search, u"softmax"_s);
  const QString count = matches.text().section(u' ', 0, 0);
  const auto open_before = view.scene()->picture().open;
  QTest::keyClick(&search, Qt::Key_Return);
  EXPECT_EQ(matches.text(), u"1 of %1"_s.arg(count));
  const NodeId first = document().selection().node();
  ASSERT_TRUE(settles());
  EXPECT_NE(view.scene()->picture().open, open_before) << "the hit was in a closed group";
  EXPECT_EQ(box_of_selected().shows.node, first);
  EXPECT_TRUE(view.rect().toRectF().contains(
      view.camera().to_screen(to_qt(box_of_selected().rect)).center()));
  QTest::keyClick(&search, Qt::Key_Return);
  EXPECT_EQ(matches.text(), u"2 of %1"_s.arg(count));
  ASSERT_TRUE(settles());
  EXPECT_EQ(box_of_selected().shows.node, document().selection().node());
  QTest::keyClick(&search, Qt::Key_Return, Qt::ShiftModifier);
  EXPECT_EQ(matches.text(), u"1 of %1"_s.arg(count));
  EXPECT_EQ(document().selection().node(), first);
  QTest::keyClick(&search, Qt::Key_Return, Qt::ShiftModifier);
  EXPECT_EQ(matches.text(), u"%1 of %1"_s.arg(count)) << "before the first comes the last";
  EXPECT_EQ(QApplication::focusWidget(), &search);
}

}  // namespace opening_test
}  // namespace stashscope::ui::test
