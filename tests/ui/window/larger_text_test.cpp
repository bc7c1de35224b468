// A small window with larger text shows what is needed to work.

#include <QApplication>
#include <QComboBox>
#include <QDockWidget>
#include <QHeaderView>
#include <QHelpEvent>
#include <QLineEdit>
#include <QSettings>
#include <QStyleOption>
#include <QTableView>
#include <QToolBar>
#include <QToolTip>
#include <algorithm>
#include <functional>
#include <set>

#include "tests/ui/support/window_test.h"
#include "ui/graph/legend.h"
#include "ui/memory/memory_key.h"
#include "ui/memory/memory_view.h"
#include "ui/models/alive_model.h"
#include "ui/panels/memory/tensor_delegate.h"
#include "ui/text/texts.h"
#include "ui/theme/text_size.h"
#include "ui/widgets/elided_label.h"
#include "ui/window/shortcut_sheet.h"

namespace stashscope::ui::test {
namespace larger_text_test {

using namespace Qt::StringLiterals;

class LargerText : public WindowTest {
 protected:
  void SetUp() override {
    WindowTest::SetUp();
    window().resize(1024, 700);
    open(sample(u"gpt2_tiny"_s));
    grow(150);
  }
  void TearDown() override {
    apply_text_size(*qApp, 100);
    QSettings().clear();
  }

  static void grow(int percent) {
    apply_text_size(*qApp, percent);
    QCoreApplication::processEvents();
  }
  void choose(const QString& id) {
    find<QAction>(u"workspace_"_s + id).trigger();
    QCoreApplication::processEvents();
  }
  static bool is_seen_whole(const QWidget& widget) {
    return widget.isVisible() && widget.visibleRegion().boundingRect() == widget.rect();
  }
};

TEST_F(LargerText, NeverWidensTheWindowByALongAnswer) {
  Choices choices = document().choices();
  choices.update.optimizer = "adam";
  choices.times.device_memory = peak() * 2;
  choices.plans.level = 1;
  document().choose(choices, u"all that makes the answer long"_s);
  ASSERT_TRUE(settles());
  grow(150);
  auto& answer = find<QLabel>(u"answer_text"_s);
  EXPECT_LE(window().minimumSizeHint().width(), 1024);
  EXPECT_TRUE(answer.text().contains(u"adam"_s)) << answer.text().toStdString();
  EXPECT_FALSE(answer.text().contains(u"for plans"_s)) << "the long form has no room";
  window().resize(3000, 700);
  QCoreApplication::processEvents();
  EXPECT_TRUE(answer.text().contains(u"for plans"_s)) << "the long form comes back";
}

TEST_F(LargerText, LeavesTheToolbarComplete) {
  auto& bar = find<QToolBar>(u"toolbar"_s);
  for (const int percent : {125, 150}) {
    grow(percent);
    for (const QString& name : {u"open"_s, u"run"_s, u"find"_s, u"commands"_s}) {
      const QWidget* const button = bar.widgetForAction(&find<QAction>(name));
      ASSERT_NE(button, nullptr);
      EXPECT_TRUE(is_seen_whole(*button)) << name.toStdString() << " at " << percent;
    }
    EXPECT_TRUE(is_seen_whole(find<QWidget>(u"toolbar_budget"_s))) << percent;
  }
  EXPECT_EQ(bar.toolButtonStyle(), Qt::ToolButtonIconOnly);
  grow(100);
  window().resize(1400, 700);
  QCoreApplication::processEvents();
  EXPECT_EQ(bar.toolButtonStyle(), Qt::ToolButtonTextBesideIcon);
}

TEST_F(LargerText, FitsTheWindowInEveryWorkspace) {
  for (const QString& id :
       {u"overview"_s, u"plan"_s, u"fit"_s, u"order"_s, u"run"_s, u"compare"_s}) {
    choose(id);
    EXPECT_EQ(window().size(), QSize(1024, 700)) << id.toStdString();
  }
}

TEST_F(LargerText, LeavesRowsInTheTableOfLivingTensors) {
  auto& table = find<QTableView>(u"alive_table"_s);
  for (const QString& id : {u"order"_s, u"run"_s}) {
    for (const int percent : {125, 150}) {
      choose(id);
      grow(percent);
      ASSERT_GT(table.model()->rowCount(), 1);
      const QRect second = table.visualRect(table.model()->index(1, 0));
      EXPECT_LE(second.bottom(), table.viewport()->height()) << id.toStdString() << percent;
    }
  }
}

TEST_F(LargerText, LeavesRoomToTheListOfLivingTensors) {
  window().resize(1366, 768);
  grow(125);
  auto& table = find<QTableView>(u"alive_table"_s);
  auto& heading = find<ElidedLabel>(u"alive_heading"_s);
  choose(u"overview"_s);
  find<QDockWidget>(u"alive_dock"_s).raise();
  for (const QString& id : {u"overview"_s, u"order"_s}) {
    choose(id);
    QTest::qWait(20);
    SCOPED_TRACE(id.toStdString());
    ASSERT_TRUE(heading.isVisible());
    const QString shown = heading.shown_form();
    EXPECT_LE(heading.fontMetrics().horizontalAdvance(shown), heading.width());
    EXPECT_TRUE(shown.startsWith(u"At the peak, slot"_s)) << shown.toStdString();
    EXPECT_GE(table.columnWidth(AliveModel::tensor), 200);
  }
  const int rows = table.viewport()->height() / table.rowHeight(0);
  EXPECT_TRUE(rows >= 6 || !find<QWidget>(u"alive_bands"_s).isVisible()) << rows;
  EXPECT_GE(rows, 4);
}

TEST_F(LargerText, LeavesTheKeysOnTheSheetWhole) {
  for (const int percent : {100, 125}) {
    SCOPED_TRACE(percent);
    grow(percent);
    find<QAction>(u"shortcuts"_s).trigger();
    QTest::qWait(20);
    auto& table = find<QTableView>(u"shortcut_table"_s);
    const int left = table.columnViewportPosition(ShortcutModel::keys);
    const int width = table.columnWidth(ShortcutModel::keys);
    EXPECT_LE(left + width, table.viewport()->width());
    for (int row = 0; row < table.model()->rowCount(); ++row) {
      const QString keys = table.model()->index(row, ShortcutModel::keys).data().toString();
      EXPECT_LT(table.fontMetrics().horizontalAdvance(keys), width) << keys.toStdString();
    }
    find<QDialog>(u"shortcut_sheet"_s).reject();
    QTest::qWait(20);
  }
}

TEST_F(LargerText, LeavesTheBudgetFieldWhole) {
  for (const int percent : {125, 150}) {
    choose(u"fit"_s);
    grow(percent);
    for (const QString& name : {u"budget_field"_s, u"budget_slider"_s, u"grain"_s}) {
      EXPECT_TRUE(is_seen_whole(find<QWidget>(name))) << name.toStdString() << " at " << percent;
    }
  }
}

TEST_F(LargerText, LeavesTheLegendOfTheGraphComplete) {
  auto& legend = find<Legend>(u"graph_legend"_s);
  for (const QString& id : {u"overview"_s, u"plan"_s, u"order"_s, u"run"_s}) {
    for (const int percent : {100, 125, 150}) {
      SCOPED_TRACE(id.toStdString() + " " + std::to_string(percent));
      choose(id);
      grow(percent);
      ASSERT_TRUE(settles());
      QCoreApplication::processEvents();
      ASSERT_TRUE(legend.isVisible());
      const LegendLayout pieces = legend.pieces();
      EXPECT_LE(pieces.height(), legend.height());
      QStringList texts;
      for (const LegendItem& item : pieces.items()) texts << item.text;
      EXPECT_TRUE(texts.contains(legend.content().first)) << texts.join(u'|').toStdString();
      EXPECT_TRUE(texts.contains(legend.content().last)) << texts.join(u'|').toStdString();
      EXPECT_TRUE(texts.contains(u"stashed for backward"_s)) << texts.join(u'|').toStdString();
    }
  }
}

TEST_F(LargerText, LeavesTheFieldsOfTheGraphTheirWords) {
  window().resize(1366, 768);
  auto& search = find<QLineEdit>(u"graph_search"_s);
  auto& colours = find<QComboBox>(u"graph_colours"_s);
  for (const int percent : {100, 125}) {
    choose(u"overview"_s);
    grow(percent);
    SCOPED_TRACE(percent);
    QStyleOptionComboBox option;
    option.initFrom(&colours);
    const QRect room = colours.style()->subControlRect(QStyle::CC_ComboBox, &option,
                                                       QStyle::SC_ComboBoxEditField, &colours);
    EXPECT_LE(colours.fontMetrics().horizontalAdvance(u"Lifetime"_s), room.width());
    EXPECT_LE(search.fontMetrics().horizontalAdvance(search.placeholderText()), search.width() - 8);
  }
}

TEST_F(LargerText, ListsTheLargestBandFirstInTheKey) {
  auto& curve = find<MemoryView>(u"memory_view"_s);
  std::vector<std::pair<std::int64_t, QString>> bands;
  for (const KeyEntry& each : key_of(curve.curves(), curve.look(), theme_of(curve.palette()))) {
    if (each.mark != KeyEntry::Mark::swatch) continue;
    for (std::size_t i = 0; i < band_count; ++i) {
      if (shown(std::string(title_of(static_cast<Band>(i)))) != each.text) continue;
      const auto& edges = *curve.curves().band_edges;
      std::int64_t height = 0;
      for (std::size_t step = 0; step < edges[i].size(); ++step) {
        height = std::max(height, edges[i][step] - (i == 0 ? 0 : edges[i - 1][step]));
      }
      bands.emplace_back(height, each.text);
    }
  }
  ASSERT_GT(bands.size(), 3U);
  EXPECT_TRUE(std::ranges::is_sorted(bands, std::ranges::greater(),
                                     &std::pair<std::int64_t, QString>::first));
  int keys = 0;
  for (const int percent : {100, 125, 150}) {
    choose(u"fit"_s);
    grow(percent);
    const QStringList texts = curve.key_texts();
    if (texts.isEmpty()) continue;
    ++keys;
    const QString& largest = bands.front().second;
    EXPECT_TRUE(texts.contains(largest) || texts.contains(largest.section(u' ', 0, 0)))
        << texts.join(u'|').toStdString();
    EXPECT_TRUE(texts.contains(u"now"_s)) << texts.join(u'|').toStdString();
  }
  EXPECT_GT(keys, 0);
}

TEST_F(LargerText, NamesAllBandsInOneRowOfTheKey) {
  window().resize(1366, 768);
  auto& curve = find<MemoryView>(u"memory_view"_s);
  choose(u"overview"_s);
  grow(125);
  const auto entries = key_of(curve.curves(), curve.look(), theme_of(curve.palette()));
  QStringList short_texts;
  for (const KeyEntry& each : entries) {
    short_texts << (each.short_text.isEmpty() ? each.text : each.short_text);
  }
  EXPECT_EQ(curve.key_texts(), short_texts) << curve.key_texts().join(u'|').toStdString();
  grow(100);
  window().resize(1600, 1200);
  find<QAction>(u"workspace_run"_s).trigger();
  QCoreApplication::processEvents();
  EXPECT_TRUE(curve.key_texts().contains(u"stashed activations"_s))
      << "where there is room: " << curve.width();
}

TEST_F(LargerText, LeavesTheKeyOfTheMemoryCurve) {
  auto& curve = find<MemoryView>(u"memory_view"_s);
  int cut = 0;
  for (const QString& id : {u"overview"_s, u"plan"_s, u"order"_s, u"run"_s}) {
    for (const int percent : {100, 125, 150}) {
      SCOPED_TRACE(id.toStdString() + " " + std::to_string(percent));
      choose(id);
      grow(percent);
      ASSERT_TRUE(curve.isVisible());
      const qsizetype all =
          std::ssize(key_of(curve.curves(), curve.look(), theme_of(curve.palette())));
      const QStringList texts = curve.key_texts();
      ASSERT_GE(texts.size(), 2) << curve.height();
      if (texts.size() == all) continue;
      ++cut;
      EXPECT_EQ(texts.back(), u"and %1 more"_s.arg(all - texts.size() + 1));
      QHelpEvent help(QEvent::ToolTip, QPoint(qRound(curve.plot().left()) + 4, 12),
                      curve.mapToGlobal(QPoint(0, 0)));
      QApplication::sendEvent(&curve, &help);
      EXPECT_EQ(QToolTip::text().count(u'\n') + 1, all) << QToolTip::text().toStdString();
    }
  }
  EXPECT_GT(cut, 0) << "somewhere there is no room for all";
}

/// The window of a screen of 1366 x 768 whose texts are drawn at 125 %.
class SmallScreen : public LargerText {
 protected:
  void SetUp() override {
    LargerText::SetUp();
    grow(100);
    window().resize(1093, 614);
  }
};

TEST_F(SmallScreen, ShowsTheButtonsOfRunAndTheChartOfFit) {
  choose(u"run"_s);
  for (const QString& name : {u"run_button"_s, u"import_button"_s, u"export_button"_s}) {
    EXPECT_TRUE(is_seen_whole(find<QWidget>(name))) << name.toStdString();
  }
  choose(u"fit"_s);
  QTest::qWait(20);
  const auto& chart = find<QWidget>(u"plan_chart"_s);
  EXPECT_TRUE(is_seen_whole(chart))
      << chart.height() << " in " << find<QWidget>(u"planner_panel"_s).height();
}

TEST_F(SmallScreen, ShowsChangesInTheHistory) {
  choose(u"compare"_s);
  Choices choices = document().choices();
  choices.plans.level = 1;
  document().choose(choices, u"level 1"_s);
  ASSERT_TRUE(settles());
  auto& table = find<QTableView>(u"history_table"_s);
  ASSERT_EQ(table.model()->rowCount(), 2);
  const int last = table.model()->columnCount() - 1;
  EXPECT_LE(table.columnViewportPosition(last) + table.columnWidth(last),
            table.viewport()->width());
  const QString title = table.model()->headerData(last, Qt::Horizontal).toString();
  const QString change = table.model()->index(1, last).data().toString();
  EXPECT_TRUE(change.startsWith(u"−"_s)) << change.toStdString();
  for (const QString& text : {title, change, u"+3000 %"_s}) {
    EXPECT_GT(table.columnWidth(last), table.fontMetrics().horizontalAdvance(text))
        << text.toStdString();
  }
}

TEST_F(SmallScreen, TellsTheLiveTensorsApart) {
  choose(u"order"_s);
  auto& table = find<QTableView>(u"alive_table"_s);
  auto& names = *qobject_cast<TensorDelegate*>(table.itemDelegateForColumn(AliveModel::tensor));
  QStyleOptionViewItem option;
  option.initFrom(&table);
  std::set<QString> whole;
  std::set<QString> seen;
  int shortened = 0;
  for (int row = 0; row < table.model()->rowCount(); ++row) {
    const QModelIndex index = table.model()->index(row, AliveModel::tensor);
    const QString text = names.text_in(140, option, index);
    whole.insert(index.data().toString());
    seen.insert(text);
    if (text.contains(u'…')) ++shortened;
  }
  EXPECT_EQ(seen.size(), whole.size());
  EXPECT_GT(shortened, 3);
}

}  // namespace larger_text_test
}  // namespace stashscope::ui::test
