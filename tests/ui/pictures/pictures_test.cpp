// Every view can be saved as a picture and as data, and copied.

#include <QApplication>
#include <QClipboard>
#include <QDockWidget>
#include <QFile>
#include <QFileDialog>
#include <QImage>
#include <QMenu>
#include <QSettings>
#include <QSpinBox>
#include <QTabBar>
#include <QXmlStreamReader>
#include <set>

#include "tests/support/csv.h"
#include "tests/ui/support/window_test.h"
#include "ui/memory/memory_key.h"
#include "ui/memory/memory_view.h"
#include "ui/models/plan_tree_model.h"
#include "ui/pictures/picture_file.h"
#include "ui/theme/theme.h"
#include "ui/widgets/copied_rows.h"

namespace stashscope::ui::test {
namespace pictures_test {

using namespace Qt::StringLiterals;
using stashscope::test::column_of;
using stashscope::test::read_csv;

QAction& action_of(const QWidget& view, const QString& name) {
  for (QAction* const action : picture_actions(view)) {
    if (action->objectName() == name) return *action;
  }
  throw std::runtime_error("no action " + name.toStdString());
}

/// The texts of an SVG document, one a line; fails the test if it is not well-formed.
QString texts_of(const QByteArray& svg) {
  QXmlStreamReader reader(svg);
  QString texts;
  while (!reader.atEnd()) {
    if (reader.readNext() == QXmlStreamReader::Characters)
      texts += reader.text().toString() + u'\n';
  }
  EXPECT_FALSE(reader.hasError()) << reader.errorString().toStdString();
  return texts;
}

qsizetype pages_of(const QByteArray& pdf) {
  return pdf.count("/Type /Page\n") + pdf.count("/Type /Page ") + pdf.count("/Type /Page/");
}

std::set<QRgb> colours_of(const QImage& image) {
  std::set<QRgb> colours;
  for (int y = 0; y < image.height(); y += 2) {
    for (int x = 0; x < image.width(); x += 2) colours.insert(image.pixel(x, y));
  }
  return colours;
}

class Pictures : public WindowTest {
 protected:
  void SetUp() override {
    WindowTest::SetUp();
    open(sample(u"gpt2_tiny"_s));
    click_check_box(plans(), 0, PlanTreeModel::plan);
    ASSERT_TRUE(settles());
  }
  void TearDown() override { QSettings().clear(); }

  /// The file that an action of a view writes.
  QByteArray written(const QString& view, const QString& action, const QString& suffix) {
    // A file that exists would make the dialog ask.
    const QString name = u"%1_%2.%3"_s.arg(view).arg(++files_).arg(suffix);
    action_of(find<QWidget>(view), action).trigger();
    if (window().findChild<QFileDialog*>(u"save_dialog"_s) == nullptr) {
      throw std::runtime_error(message().toStdString());
    }
    answer_file_dialog(u"save_dialog"_s, in_folder(name));
    EXPECT_TRUE(comes_true([&] { return message().contains(name); })) << message().toStdString();
    QFile file(in_folder(name));
    EXPECT_TRUE(file.open(QIODevice::ReadOnly)) << message().toStdString();
    return file.readAll();
  }
  QByteArray drawn(const QString& view, const QString& suffix) {
    return written(view, u"save_picture"_s, suffix);
  }
  auto data(const QString& view) {
    return read_csv(written(view, u"save_data"_s, u"csv"_s).toStdString());
  }

  void expect_pictures(const QString& view, const QString& text) {
    const QString texts = texts_of(drawn(view, u"svg"_s));
    EXPECT_TRUE(texts.contains(text)) << view.toStdString() << ": " << texts.toStdString();
    const QByteArray pdf = drawn(view, u"pdf"_s);
    EXPECT_TRUE(pdf.startsWith("%PDF")) << view.toStdString();
    EXPECT_EQ(pages_of(pdf), 1) << view.toStdString();
    const QImage image = QImage::fromData(drawn(view, u"png"_s), "PNG");
    EXPECT_GT(colours_of(image).size(), 3U) << view.toStdString();
    auto& source = dynamic_cast<PictureSource&>(find<QWidget>(view));
    const QSizeF page = source.picture({}).size;
    EXPECT_EQ(image.size(), (page * png_scale(page)).toSize()) << view.toStdString();
    EXPECT_GT(data(view).size(), 1U) << view.toStdString();
  }

  void raise(const QString& title) {
    for (QTabBar* const bar : window().findChildren<QTabBar*>()) {
      for (int i = 0; i < bar->count(); ++i) {
        if (bar->tabText(i) == title) bar->setCurrentIndex(i);
      }
    }
  }

  int files_ = 0;
};

TEST_F(Pictures, OfTheMemoryCurveHasTheWholeKey) {
  auto& view = find<MemoryView>(u"memory_view"_s);
  view.setFixedSize(260, 150);
  QCoreApplication::processEvents();
  ASSERT_TRUE(view.key_texts().last().contains(u" more"_s))
      << view.key_texts().join(u'|').toStdString();
  const QStringList key_before = view.key_texts();
  const QString texts = texts_of(drawn(u"memory_view"_s, u"svg"_s));
  EXPECT_FALSE(texts.contains(u" more"_s)) << texts.toStdString();
  for (const KeyEntry& entry : key_of(view.curves(), view.look(), light_theme())) {
    EXPECT_TRUE(texts.contains(entry.text)) << entry.text.toStdString();
  }
  EXPECT_EQ(view.key_texts(), key_before);
  EXPECT_GT(view.picture({}).size.height(), 150);
}

TEST_F(Pictures, OfTheMemoryCurveAreTheSameWhereverTheCursorIs) {
  auto& view = find<MemoryView>(u"memory_view"_s);
  const QByteArray at_peak = drawn(u"memory_view"_s, u"svg"_s);
  const QImage on_screen = view.grab().toImage();
  document().selection().select_slot(document().selection().slot() / 3);
  EXPECT_NE(view.grab().toImage(), on_screen);
  EXPECT_EQ(drawn(u"memory_view"_s, u"svg"_s), at_peak);
  EXPECT_FALSE(texts_of(at_peak).contains(u"slot "_s)) << texts_of(at_peak).toStdString();
}

TEST_F(Pictures, OfTheViewsOfAModel) {
  raise(u"What holds the memory"_s);
  expect_pictures(u"memory_view"_s, u"without plans"_s);
  expect_pictures(u"graph_view"_s, u"gpt2_tiny"_s);
  expect_pictures(u"icicle_view"_s, u"All"_s);
  expect_pictures(u"module_table"_s, u"At peak"_s);
  expect_pictures(u"plan_tree"_s, u"Extra time"_s);
  expect_pictures(u"alive_table"_s, u"Tensor"_s);
  expect_pictures(u"order_table"_s, u"Peak"_s);
  expect_pictures(u"step_table"_s, u"Operator"_s);
  expect_pictures(u"history_table"_s, u"As opened"_s);
}

TEST_F(Pictures, OfThePlannersCurve) {
  auto& limit = find<QSpinBox>(u"time_limit"_s);
  limit.setValue(limit.minimum());
  QAction& draw = find<QAction>(u"draw_curve"_s);
  ASSERT_TRUE(comes_true([&] { return draw.isEnabled(); }));
  draw.trigger();
  ASSERT_TRUE(comes_true([this] { return window().planning().job() == PlanningJob::none; }));
  expect_pictures(u"plan_chart"_s, u"extra time by peak"_s);
  const auto records = data(u"plan_chart"_s);
  EXPECT_EQ(records[1][1], std::to_string(document().study()->baseline->timeline.peak_bytes));
  EXPECT_EQ(records[2][1], std::to_string(peak()));
  EXPECT_EQ(records[3][0], "found");
}

TEST_F(Pictures, OfThePeakAgainstADimension) {
  raise(u"Peak against a dimension"_s);
  ASSERT_TRUE(comes_true([this] {
    return find<QWidget>(u"sweep_panel"_s).isVisible() &&
           dynamic_cast<PictureSource&>(find<QWidget>(u"sweep_chart"_s)).picture_data() &&
           !find<QWidget>(u"sweep_cancel"_s).isVisible();
  }));
  expect_pictures(u"sweep_chart"_s, u"without plans"_s);
  const auto& now = document().study()->sizes->dims.dimensions.front();
  bool has_now = false;
  for (const auto& record : data(u"sweep_chart"_s)) {
    if (record[0] != std::to_string(now.value)) continue;
    has_now = record[2] == std::to_string(peak());
  }
  EXPECT_TRUE(has_now);
}

TEST_F(Pictures, OfAComparison) {
  press(Qt::Key_D, Qt::ControlModifier | Qt::ShiftModifier);
  answer_file_dialog(u"compare_dialog"_s, sample(u"gpt2_tiny"_s));
  ASSERT_TRUE(comes_true([this] { return find<QWidget>(u"comparison_chart"_s).isVisible(); }));
  expect_pictures(u"comparison_chart"_s, u"backward"_s);
  expect_pictures(u"compare_table"_s, u"Difference"_s);
  const auto records = data(u"compare_table"_s);
  const std::size_t item = column_of(records, "Item");
  const auto row = std::find_if(records.begin(), records.end(),
                                [&](const auto& record) { return record[item] == "peak"; });
  ASSERT_NE(row, records.end());
  EXPECT_EQ((*row)[column_of(records, "Left")], std::to_string(peak()));
}

TEST_F(Pictures, TheDataOfTheIcicleAndTheTablesAreTheStudysBytes) {
  raise(u"What holds the memory"_s);
  const auto icicle = data(u"icicle_view"_s);
  EXPECT_EQ(icicle[1][0], "(all)");
  const std::size_t slot = document().selection().slot();
  EXPECT_EQ(icicle[1][2], std::to_string(document().study()->current->timeline.live_bytes[slot]));
  const auto alive = data(u"alive_table"_s);
  std::int64_t sum = 0;
  for (std::size_t row = 1; row < alive.size(); ++row) {
    sum += std::stoll(alive[row][column_of(alive, "Size (bytes)")]);
  }
  EXPECT_EQ(std::to_string(sum), icicle[1][2]);
  const auto plans = data(u"plan_tree"_s);
  EXPECT_EQ(plans[1][column_of(plans, "On")], "on");
  const auto history = data(u"history_table"_s);
  EXPECT_EQ(history.back()[column_of(history, "Peak (bytes)")], std::to_string(peak()));
}

TEST_F(Pictures, LiveTensorsHaveSlotsAsNumbersAndTheRolesOfTheLegend) {
  const auto alive = data(u"alive_table"_s);
  ASSERT_GT(alive.size(), 4U);
  const std::size_t slot = document().selection().slot() + 1;
  std::set<std::string> titles;
  for (std::size_t i = 0; i < band_count; ++i) {
    titles.insert(std::string(title_of(static_cast<Band>(i))));
  }
  for (std::size_t row = 1; row < alive.size(); ++row) {
    ASSERT_EQ(alive[row].size(), alive[0].size());
    EXPECT_LE(std::stoull(alive[row][column_of(alive, "First slot")]), slot);
    EXPECT_GE(std::stoull(alive[row][column_of(alive, "Last slot")]), slot);
    EXPECT_TRUE(titles.contains(alive[row][column_of(alive, "Role")]));
  }
}

TEST_F(Pictures, TheDataOfACurveHaveBothPeaks) {
  const auto curve = data(u"memory_view"_s);
  std::map<std::string, std::int64_t> peaks;
  for (std::size_t row = 1; row < curve.size(); ++row) {
    std::int64_t& most = peaks[curve[row][0]];
    most = std::max<std::int64_t>(most, std::stoll(curve[row][column_of(curve, "bytes")]));
  }
  EXPECT_EQ(peaks["without plans"], document().study()->baseline->timeline.peak_bytes);
  EXPECT_EQ(peaks["now"], peak());
}

TEST_F(Pictures, ClosedRowsOfATreeAreLeftOut) {
  const std::size_t closed = data(u"plan_tree"_s).size();
  plans().expand(plans().model()->index(0, 0));
  const auto open = data(u"plan_tree"_s);
  EXPECT_GT(open.size(), closed);
  EXPECT_EQ(open[1][column_of(open, "Level")], "0");
  EXPECT_EQ(open[2][column_of(open, "Level")], "1");
}

TEST_F(Pictures, AreCopiedAsAnImage) {
  QApplication::clipboard()->clear();
  action_of(find<QWidget>(u"memory_view"_s), u"copy_picture"_s).trigger();
  ASSERT_TRUE(comes_true([this] { return !message().isEmpty(); }));
  const QImage image = QApplication::clipboard()->image();
  EXPECT_EQ(image.size(), 2 * find<QWidget>(u"memory_view"_s).size());
  EXPECT_GT(colours_of(image).size(), 8U);
}

TEST_F(Pictures, OfAHiddenPanelAreNotOfAnEarlierStep) {
  raise(u"What holds the memory"_s);
  auto& icicle = dynamic_cast<PictureSource&>(find<QWidget>(u"icicle_view"_s));
  const auto& modules = dynamic_cast<PictureSource&>(find<QWidget>(u"module_table"_s));
  ASSERT_TRUE(comes_true([&] { return icicle.is_current(); }));
  auto& dock = find<QDockWidget>(u"overview_dock"_s);
  dock.hide();
  document().selection().select_slot(0);
  EXPECT_FALSE(icicle.is_current());
  EXPECT_TRUE(modules.is_current());
  click_check_box(plans(), 1, PlanTreeModel::plan);
  ASSERT_TRUE(settles());
  EXPECT_FALSE(modules.is_current());
  QApplication::clipboard()->clear();
  QAction& copy = action_of(find<QWidget>(u"icicle_view"_s), u"copy_picture"_s);
  copy.trigger();
  ASSERT_TRUE(comes_true([this] { return message().contains(u"its panel is hidden"_s); }));
  EXPECT_TRUE(QApplication::clipboard()->image().isNull());
  dock.show();
  raise(u"What holds the memory"_s);
  copy.trigger();
  ASSERT_TRUE(comes_true([this] { return message().startsWith(u"Copied the picture"_s); }));
  EXPECT_TRUE(icicle.is_current());
}

class PicturesWithoutAModel : public WindowTest {};

TEST_F(PicturesWithoutAModel, AreNotWaitedFor) {
  for (const QString& name : {u"copy_picture"_s, u"save_picture"_s, u"save_data"_s}) {
    find<QAction>(u"focused_"_s + name).trigger();
    EXPECT_TRUE(message().endsWith(u"has nothing to show yet."_s)) << message().toStdString();
  }
}

/// A view whose rows take long to gather.
class SlowView : public QWidget, public PictureSource {
 public:
  Picture picture(const QString&) override { return {}; }
  void gather_data(const DataTaker& take) override { take_ = take; }
  bool has_picture() override { return true; }

  DataTaker take_;
};

TEST_F(Pictures, RowsOfTheNextModelAreNotSaved) {
  SlowView view;
  view.setAccessibleName(u"Slow view"_s);
  PictureActions actions(document(), window(), view);
  actions.save_data(view);
  answer_file_dialog(u"save_dialog"_s, in_folder(u"slow.csv"_s));
  ASSERT_TRUE(view.take_);
  open(sample(u"lenet"_s));
  view.take_([] { return std::string("rows"); });
  EXPECT_EQ(message(), u"Slow view: not done, because another model was opened"_s);
}

TEST_F(Pictures, AreLightInADarkWindow) {
  raise(u"What holds the memory"_s);
  QTest::qWait(0);
  const QByteArray light = drawn(u"icicle_view"_s, u"svg"_s);
  apply_theme(*qApp, ThemeChoice::dark);
  EXPECT_EQ(drawn(u"icicle_view"_s, u"svg"_s), light);
  EXPECT_TRUE(theme_of(find<QWidget>(u"icicle_view"_s).palette()).dark);
  const QImage table = QImage::fromData(drawn(u"plan_tree"_s, u"png"_s), "PNG");
  EXPECT_EQ(table.pixelColor(1, 1), light_theme().surface);
  apply_theme(*qApp, ThemeChoice::light);
}

TEST_F(Pictures, OfTheViewThatHadTheFocusLast) {
  find<QWidget>(u"alive_table"_s).setFocus();
  auto& menu = find<QMenu>(u"picture_menu"_s);
  Q_EMIT menu.aboutToShow();
  EXPECT_TRUE(menu.title().contains(find<QWidget>(u"alive_table"_s).accessibleName()))
      << menu.title().toStdString();
  press(Qt::Key_D, Qt::ControlModifier | Qt::AltModifier);
  answer_file_dialog(u"save_dialog"_s, in_folder(u"a.csv"_s));
  ASSERT_TRUE(comes_true([this] { return message().contains(u"a.csv"_s); }));
  QFile file(in_folder(u"a.csv"_s));
  ASSERT_TRUE(file.open(QIODevice::ReadOnly));
  EXPECT_TRUE(file.readAll().startsWith("Tensor,"));
}

TEST_F(Pictures, OfThePanelThatHasTheFocus) {
  auto& menu = find<QMenu>(u"picture_menu"_s);
  const auto meant = [&] {
    Q_EMIT menu.aboutToShow();
    return menu.title();
  };
  const auto& curve = find<QWidget>(u"memory_view"_s);
  find<QWidget>(u"alive_table"_s).setFocus();
  for (const QString& part : {u"memory_tabs"_s, u"memory_over_time"_s}) {
    find<QWidget>(u"alive_table"_s).setFocus();
    find<QWidget>(part).setFocus();
    EXPECT_TRUE(meant().contains(curve.accessibleName())) << meant().toStdString();
  }
  find<QWidget>(u"alive_table"_s).setFocus();
  press(Qt::Key_6, Qt::AltModifier);
  EXPECT_TRUE(curve.hasFocus()) << "and not its tab";
  EXPECT_TRUE(meant().contains(curve.accessibleName())) << meant().toStdString();
  press(Qt::Key_2, Qt::AltModifier);
  EXPECT_TRUE(find<QWidget>(u"order_table"_s).hasFocus());
}

TEST_F(Pictures, NeverOverwriteTheModel) {
  const QString model = in_folder(u"model.csv"_s);
  ASSERT_TRUE(QFile::copy(sample(u"lenet"_s), model));
  open(model);
  const qint64 size = QFileInfo(model).size();
  action_of(find<QWidget>(u"memory_view"_s), u"save_data"_s).trigger();
  find<QFileDialog>(u"save_dialog"_s).setOption(QFileDialog::DontConfirmOverwrite);
  answer_file_dialog(u"save_dialog"_s, model);
  ASSERT_TRUE(comes_true([this] { return message().contains(u"model.csv"_s); }));
  EXPECT_TRUE(message().contains(u"would overwrite the model"_s)) << message().toStdString();
  EXPECT_EQ(QFileInfo(model).size(), size);
}

TEST_F(Pictures, EveryViewHasThemInItsMenu) {
  std::size_t views = 0;
  for (QWidget* const widget : window().findChildren<QWidget*>()) {
    if (dynamic_cast<PictureSource*>(widget) == nullptr) continue;
    ++views;
    EXPECT_EQ(picture_actions(*widget).size(), 3) << widget->objectName().toStdString();
    EXPECT_FALSE(widget->accessibleName().isEmpty()) << widget->objectName().toStdString();
    EXPECT_NE(widget->contextMenuPolicy() == Qt::DefaultContextMenu,
              widget->objectName() != u"graph_view"_s)
        << widget->objectName().toStdString();
  }
  EXPECT_GE(views, 14U);
}

}  // namespace pictures_test
}  // namespace stashscope::ui::test
