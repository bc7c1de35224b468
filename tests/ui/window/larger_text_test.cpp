// A small window with larger text shows what is needed to work.

#include <QApplication>
#include <QSettings>
#include <QTableView>
#include <QToolBar>

#include "tests/ui/support/window_test.h"
#include "ui/theme/text_size.h"

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

TEST_F(LargerText, LeavesTheBudgetFieldWhole) {
  for (const int percent : {125, 150}) {
    choose(u"fit"_s);
    grow(percent);
    for (const QString& name : {u"budget_field"_s, u"budget_slider"_s, u"grain"_s}) {
      EXPECT_TRUE(is_seen_whole(find<QWidget>(name))) << name.toStdString() << " at " << percent;
    }
  }
}

}  // namespace larger_text_test
}  // namespace stashscope::ui::test
