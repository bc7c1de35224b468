// The start page: recent files with what was seen of them, samples, the way from PyTorch.

#include <QApplication>
#include <QClipboard>
#include <QDropEvent>
#include <QFile>
#include <QLineEdit>
#include <QMimeData>
#include <QPushButton>
#include <QScrollBar>
#include <QSettings>
#include <QTextBrowser>

#include "tests/ui/support/window_test.h"
#include "ui/memory/curve_thumbnail.h"
#include "ui/models/plan_tree_model.h"
#include "ui/text/documents.h"
#include "ui/text/texts.h"
#include "ui/theme/text_size.h"
#include "ui/widgets/document_dialog.h"

namespace stashscope::ui::test {
namespace start_page_test {

using namespace Qt::StringLiterals;

class StartPage : public WindowTest {
 protected:
  void TearDown() override {
    window_.reset();
    QSettings().clear();
  }

  Welcome& page() { return find<Welcome>(u"welcome"_s); }
  QList<QPushButton*> files() { return page().findChildren<QPushButton*>(u"welcome_file"_s); }
  QPushButton* button_of(const QString& path) {
    for (QPushButton* const each : files()) {
      if (each->toolTip() == path && each->isVisibleTo(&page())) return each;
    }
    return nullptr;
  }
  Thumbnails thumbnails() { return Thumbnails(in_folder(u"thumbnails"_s)); }
  QString thumbnail_file() {
    const QDir folder(in_folder(u"thumbnails"_s));
    return folder.filePath(folder.entryList({u"*.png"_s}).value(0));
  }

  /// Opens a copy of a sample and waits until it is recorded.
  QString opened_copy() {
    const QString model = in_folder(u"model.onnx"_s);
    EXPECT_TRUE(QFile::copy(sample(u"gpt2_tiny"_s), model));
    open(model);
    EXPECT_TRUE(comes_true([&] { return !thumbnails().of(model).isNull(); }));
    return model;
  }
};

TEST_F(StartPage, ARecentFileHasItsPeaksAndItsCurve) {
  const QString model = opened_copy();
  const QImage before = thumbnails().of(model);
  click_check_box(plans(), 0, PlanTreeModel::plan);
  ASSERT_TRUE(settles());
  const std::int64_t without = document().study()->baseline->timeline.peak_bytes;
  const std::int64_t with = peak();
  document().undo_stack().setClean();
  Q_EMIT document().study_changed();
  ASSERT_TRUE(comes_true([&] { return thumbnails().of(model) != before; }));
  start_window();
  QPushButton* const button = button_of(model);
  ASSERT_NE(button, nullptr);
  EXPECT_EQ(button->text(), name_of_file(model));
  const QString detail = button->accessibleDescription();
  EXPECT_TRUE(detail.contains(u"Model"_s)) << detail.toStdString();
  EXPECT_TRUE(detail.contains(bytes_text(without))) << detail.toStdString();
  EXPECT_TRUE(detail.contains(bytes_text(with))) << detail.toStdString();
  EXPECT_NE(in_theme(thumbnails().of(model), light_theme()),
            in_theme(thumbnails().of(model), dark_theme()));
}

TEST_F(StartPage, ClosingTheWindowRecordsTheLastChange) {
  const QString model = opened_copy();
  const std::int64_t before = peak();
  click_check_box(plans(), 0, PlanTreeModel::plan);
  // Waits for the peak only, because the change would be recorded before the drawing is done.
  ASSERT_TRUE(comes_true([&] { return peak() != before; }));
  document().undo_stack().setClean();
  const std::int64_t with = peak();
  window().close();
  const auto peaks = recent_peaks(model);
  ASSERT_TRUE(peaks);
  EXPECT_EQ(peaks->with_choices, with);
}

/// Two ways with one model, as a user explores them: choose, save, choose on, save as another one.
TEST_F(StartPage, EachSessionHasItsOwnPeaksAndCurve) {
  const QString model = opened_copy();
  const std::int64_t plain = peak();
  std::map<QString, std::int64_t> peaks;
  std::map<QString, QImage> pictures;
  for (const int level : {1, 2}) {
    Choices choices = document().choices();
    choices.plans.level = level;
    if (level == 2) choices.dims["inputs_input_ids_dim0"] = 3;
    document().choose(choices, u"level"_s);
    ASSERT_TRUE(settles());
    QTest::qWait(700);  // longer than the delay of the recording
    const QString way = in_folder(u"way%1.stashscope"_s.arg(level));
    document().save_session_as(way);
    ASSERT_TRUE(comes_true([&] { return !thumbnails().of(way).isNull(); }));
    peaks[way] = peak();
    pictures[way] = thumbnails().of(way);
  }
  ASSERT_TRUE(recent_peaks(model));
  EXPECT_EQ(recent_peaks(model)->with_choices, plain) << "the model itself has no plans";
  for (const auto& [way, bytes] : peaks) {
    ASSERT_TRUE(recent_peaks(way));
    EXPECT_EQ(recent_peaks(way)->with_choices, bytes) << way.toStdString();
    EXPECT_EQ(thumbnails().of(way), pictures[way]) << way.toStdString();
  }
}

TEST_F(StartPage, ASavedSessionIsARecentFileWithItsPeaks) {
  opened_copy();
  const QString session = in_folder(u"new.stashscope"_s);
  document().files().write_session(document().session(), session);
  ASSERT_TRUE(comes_true([&] { return recent_peaks(session).has_value(); }));
  EXPECT_EQ(recent_peaks(session)->with_choices, peak());
}

TEST_F(StartPage, ABrokenOrLostPictureIsNotShown) {
  const QString model = opened_copy();
  window_.reset();
  QFile file(thumbnail_file());
  ASSERT_TRUE(file.open(QIODevice::WriteOnly));
  file.write("no picture");
  file.close();
  EXPECT_TRUE(thumbnails().of(model).isNull());
  start_window();
  EXPECT_NE(button_of(model), nullptr);
  EXPECT_EQ(message(), u""_s);
  ASSERT_TRUE(file.remove());
  start_window();
  EXPECT_NE(button_of(model), nullptr);
}

TEST_F(StartPage, PicturesOfOtherFilesAreRemoved) {
  const QString old = in_folder(u"thumbnails/old.png"_s);
  ASSERT_TRUE(QDir().mkpath(in_folder(u"thumbnails"_s)));
  ASSERT_TRUE(QFile::copy(sample(u"lenet"_s), old));
  opened_copy();
  EXPECT_FALSE(QFile::exists(old));
}

TEST_F(StartPage, AFileThatIsGoneIsMarkedAndCanBeRemoved) {
  const QString model = opened_copy();
  window_.reset();
  ASSERT_TRUE(QFile::remove(model));
  start_window();
  QPushButton* const button = button_of(model);
  ASSERT_NE(button, nullptr);
  EXPECT_TRUE(button->accessibleDescription().contains(u"no longer exists"_s));
  click(*page().findChild<QPushButton*>(u"welcome_remove"_s));
  EXPECT_EQ(button_of(model), nullptr);
  EXPECT_FALSE(recent_files().contains(model));
  EXPECT_FALSE(recent_peaks(model));
}

TEST_F(StartPage, TheListOfEarlierVersionsIsRead) {
  QSettings().setValue(u"recent_files"_s, QStringList{sample(u"lenet"_s)});
  start_window();
  const auto shown = files();
  EXPECT_EQ(std::ranges::count_if(shown,
                                  [](const QPushButton* each) {
                                    return each->text() == name_of_file(sample(u"lenet"_s));
                                  }),
            1);
}

TEST_F(StartPage, FilesWithTheSameFolderAndNameHaveTheirPaths) {
  const QStringList paths = {u"/a/vit/model.onnx"_s, u"/b/vit/model.onnx"_s,
                             u"/b/bert/model.onnx"_s};
  QSettings().setValue(u"recent_files"_s, paths);
  start_window();
  EXPECT_EQ(button_of(paths[0])->text(), paths[0]);
  EXPECT_EQ(button_of(paths[1])->text(), paths[1]);
  EXPECT_EQ(button_of(paths[2])->text(), u"bert/model.onnx"_s);
}

TEST_F(StartPage, IsUsedWithTheKeyboard) {
  QSettings().setValue(u"recent_files"_s, QStringList{in_folder(u"gone.onnx"_s)});
  start_window();
  EXPECT_EQ(QApplication::focusWidget(), &find<QPushButton>(u"welcome_open"_s));
  std::set<const QWidget*> reached;
  for (int i = 0; i < 60; ++i) {
    reached.insert(QApplication::focusWidget());
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
  }
  for (const QPushButton* const each : page().findChildren<QPushButton*>()) {
    EXPECT_TRUE(reached.contains(each)) << each->text().toStdString();
  }
  QPushButton* const gone = button_of(in_folder(u"gone.onnx"_s));
  ASSERT_NE(gone, nullptr);
  gone->setFocus();
  QTest::keyClick(gone, Qt::Key_Delete);
  EXPECT_TRUE(recent_files().isEmpty());
  for (QPushButton* const each : files()) {
    if (each->text() != u"mlp_gelu"_s) continue;
    each->setFocus();
    QTest::keyClick(each, Qt::Key_Return);
    break;
  }
  EXPECT_TRUE(settles());
}

TEST_F(StartPage, SamplesSayWhatTheyShow) {
  ASSERT_FALSE(sample_models().isEmpty());
  for (const QString& path : sample_models()) {
    EXPECT_FALSE(about_sample(path).isEmpty()) << path.toStdString();
    ASSERT_NE(button_of(path), nullptr) << path.toStdString();
    EXPECT_EQ(button_of(path)->accessibleDescription(), about_sample(path));
  }
}

TEST_F(StartPage, TheLinesForPyTorchAreThoseOfTheDocumentation) {
  click(find<QPushButton>(u"copy_export_lines"_s));
  EXPECT_EQ(QApplication::clipboard()->text(), export_lines() + u'\n');
  QFile docs(documentation_page(u"passes.md"_s));
  ASSERT_TRUE(docs.open(QIODevice::ReadOnly)) << documentation_page(u"passes.md"_s).toStdString();
  EXPECT_TRUE(QString::fromUtf8(docs.readAll()).contains(export_lines()));
  EXPECT_TRUE(find<QWidget>(u"export_page"_s).isVisible());
}

TEST_F(StartPage, TheLinesForPyTorchGrowWithTheText) {
  const auto& lines = find<QLabel>(u"export_lines"_s);
  const auto& text = find<QWidget>(u"welcome"_s);
  const int before = lines.fontMetrics().height();
  EXPECT_EQ(lines.fontMetrics().horizontalAdvance(u"iiii"_s),
            lines.fontMetrics().horizontalAdvance(u"MMMM"_s));
  apply_text_size(*qApp, 150);
  QCoreApplication::processEvents();
  EXPECT_GT(lines.fontMetrics().height(), before * 4 / 3);
  EXPECT_EQ(lines.font().pointSizeF(), text.font().pointSizeF());
  apply_text_size(*qApp, 100);
}

TEST_F(StartPage, TheLinesThatCaptureAreThoseOfTheDocumentation) {
  click(find<QPushButton>(u"copy_capture_lines"_s));
  EXPECT_EQ(QApplication::clipboard()->text(), capture_lines() + u'\n');
  EXPECT_TRUE(document_named(u"pytorch.md"_s).contains(capture_lines()));
  click(find<QPushButton>(u"capture_page"_s));
  const auto& dialog = find<DocumentDialog>(u"document_dialog"_s);
  const auto& page = *dialog.findChild<QTextBrowser*>(u"document_page"_s);
  for (const QString& word : {u"stashscope.capture"_s, u"Apply and remove"_s, u"Measure"_s}) {
    EXPECT_TRUE(page.toPlainText().contains(word)) << word.toStdString();
  }
}

TEST_F(StartPage, NothingIsCutInSmallWindows) {
  QStringList paths;
  for (int i = 0; i < 8; ++i) paths << u"/models/a%1/model.onnx"_s.arg(i);
  QSettings().setValue(u"recent_files"_s, paths);
  start_window();
  for (const QSize size : {QSize(1366, 768), QSize(1024, 700)}) {
    window().resize(size);
    QTest::qWait(0);
    EXPECT_EQ(page().verticalScrollBar()->maximum(), 0) << size.width();
    EXPECT_EQ(page().horizontalScrollBar()->maximum(), 0) << size.width();
    for (const QPushButton* const each : page().findChildren<QPushButton*>()) {
      EXPECT_GE(each->width(), each->sizeHint().width()) << each->text().toStdString();
    }
  }
}

TEST_F(StartPage, LargerTextIsScrolled) {
  window().resize(1024, 700);
  apply_text_size(*qApp, 200);
  QTest::qWait(0);
  EXPECT_EQ(page().horizontalScrollBar()->maximum(), 0);
  EXPECT_GT(page().verticalScrollBar()->maximum(), 0);
  auto& last = find<QPushButton>(u"copy_export_lines"_s);
  EXPECT_TRUE(last.visibleRegion().isEmpty());
  for (int i = 0; i < 60 && QApplication::focusWidget() != &last; ++i) {
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
  }
  EXPECT_FALSE(last.visibleRegion().isEmpty());
  apply_text_size(*qApp, 100);
}

TEST_F(StartPage, AFileIsDroppedOnAFieldForText) {
  open(sample(u"lenet"_s));
  auto& search = find<QLineEdit>(u"graph_search"_s);
  QMimeData data;
  data.setUrls({QUrl::fromLocalFile(sample(u"mlp_gelu"_s))});
  data.setText(sample(u"mlp_gelu"_s));
  QDragEnterEvent enter({5, 5}, Qt::CopyAction, &data, Qt::LeftButton, {});
  QApplication::sendEvent(&search, &enter);
  ASSERT_TRUE(enter.isAccepted());
  QDropEvent drop({5, 5}, Qt::CopyAction, &data, Qt::LeftButton, {});
  QApplication::sendEvent(&search, &drop);
  EXPECT_TRUE(comes_true([&] {
    return document().model_path() == QFileInfo(sample(u"mlp_gelu"_s)).canonicalFilePath();
  }));
  EXPECT_EQ(search.text(), u""_s);
}

}  // namespace start_page_test
}  // namespace stashscope::ui::test
