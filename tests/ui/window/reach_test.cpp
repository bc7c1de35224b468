// Every widget can be reached by keyboard and has a name for screen readers.

#include <QAbstractScrollArea>
#include <QAccessible>
#include <QApplication>
#include <QDialog>
#include <QDockWidget>
#include <algorithm>

#include "tests/ui/support/window_test.h"

namespace stashscope::ui::test {
namespace reach_test {

using namespace Qt::StringLiterals;

std::string described(const QWidget& widget) {
  QStringList path;
  for (const QWidget* each = &widget; each != nullptr; each = each->parentWidget()) {
    path.prepend(each->objectName().isEmpty() ? QString::fromLatin1(each->metaObject()->className())
                                              : each->objectName());
  }
  return path.join(u" / "_s).toStdString();
}

class Reach : public WindowTest {
 protected:
  void SetUp() override {
    WindowTest::SetUp();
    open(sample(u"gpt2_tiny"_s));
  }

  /// The widgets that take the focus while their panel is in front.
  std::vector<QWidget*> focusable() {
    std::vector<QWidget*> widgets;
    for (QWidget* const widget : window().findChildren<QWidget*>()) {
      const bool takes_keys = (widget->focusPolicy() & Qt::TabFocus) != 0;
      // Headers and parts of other widgets are used through those widgets.
      const bool is_part = widget->focusProxy() != nullptr;
      if (takes_keys && !is_part && widget->isEnabled() && widget->isVisible()) {
        widgets.push_back(widget);
      }
    }
    return widgets;
  }

  /// Whether a widget's panel is in front of the others of its place.
  bool is_in_front(const QWidget& widget) {
    return std::ranges::none_of(window().findChildren<QDockWidget*>(), [&](const auto* dock) {
      return dock->isAncestorOf(&widget) && dock->visibleRegion().isEmpty();
    });
  }

  QStringList panels_in_front() {
    QStringList names;
    for (const QDockWidget* const dock : window().findChildren<QDockWidget*>()) {
      if (!dock->visibleRegion().isEmpty()) names << dock->objectName();
    }
    return names;
  }

  std::set<const QWidget*> reached_by_tab(Qt::Key key) {
    std::set<const QWidget*> reached;
    window().graph().view().setFocus();
    // In text views, Tab goes through the links first.
    for (int i = 0; i < 400; ++i) {
      QWidget* const at = QApplication::focusWidget();
      if (at == nullptr) break;
      reached.insert(at);
      QTest::keyClick(at, key, key == Qt::Key_Backtab ? Qt::ShiftModifier : Qt::NoModifier);
    }
    return reached;
  }
};

TEST_F(Reach, EveryWidgetThatTakesKeysHasAName) {
  ASSERT_GT(focusable().size(), 20U);
  for (QWidget* const widget : focusable()) {
    QAccessibleInterface* const read_out = QAccessible::queryAccessibleInterface(widget);
    ASSERT_NE(read_out, nullptr) << described(*widget);
    EXPECT_FALSE(read_out->text(QAccessible::Name).trimmed().isEmpty()) << described(*widget);
  }
}

TEST_F(Reach, TabReachesEveryWidgetBothWays) {
  for (const Qt::Key key : {Qt::Key_Tab, Qt::Key_Backtab}) {
    const auto reached = reached_by_tab(key);
    for (const QWidget* const widget : focusable()) {
      EXPECT_EQ(reached.contains(widget), is_in_front(*widget)) << described(*widget);
    }
  }
}

TEST_F(Reach, TabLeavesThePanelsInFront) {
  QCoreApplication::processEvents();
  const QStringList before = panels_in_front();
  reached_by_tab(Qt::Key_Tab);
  EXPECT_EQ(panels_in_front(), before);
}

TEST_F(Reach, ADialogLeavesThePanelInFront) {
  find<QAction>(u"workspace_fit"_s).trigger();
  find<QAction>(u"go_to_overview_dock"_s).trigger();
  find<QAction>(u"set_budget"_s).trigger();
  QCoreApplication::processEvents();
  auto& overview = find<QDockWidget>(u"overview_dock"_s);
  ASSERT_TRUE(overview.visibleRegion().isEmpty()) << "the planner is in front";
  overview.raise();
  ASSERT_TRUE(comes_true([&] { return overview.isAncestorOf(QApplication::focusWidget()); }));
  find<QAction>(u"open"_s).trigger();
  auto& dialog = find<QDialog>(u"open_dialog"_s);
  ASSERT_TRUE(comes_true([&] { return dialog.isVisible(); }));
  dialog.reject();
  QCoreApplication::processEvents();
  EXPECT_FALSE(overview.visibleRegion().isEmpty());
}

TEST_F(Reach, EveryPanelIsEntered) {
  for (QDockWidget* const dock : window().findChildren<QDockWidget*>()) {
    window().graph().view().setFocus();
    find<QAction>(u"go_to_"_s + dock->objectName()).trigger();
    EXPECT_TRUE(dock->isAncestorOf(QApplication::focusWidget())) << described(*dock);
  }
}

TEST_F(Reach, TabGoesThroughOnePanelAfterTheOther) {
  window().graph().view().setFocus();
  std::vector<const QWidget*> panels;
  for (int i = 0; i < 60; ++i) {
    const QWidget* panel = QApplication::focusWidget();
    while (panel != nullptr && qobject_cast<const QDockWidget*>(panel) == nullptr) {
      panel = panel->parentWidget();
    }
    if (panel != nullptr && (panels.empty() || panels.back() != panel)) panels.push_back(panel);
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
    if (QApplication::focusWidget() == &window().graph().view()) break;
  }
  std::set<const QWidget*> once(panels.begin(), panels.end());
  std::string way;
  for (const QWidget* const panel : panels) way += panel->objectName().toStdString() + " ";
  EXPECT_EQ(once.size(), panels.size()) << "a panel is left and entered again: " << way;
  EXPECT_GT(panels.size(), 5U);
}

}  // namespace reach_test
}  // namespace stashscope::ui::test
