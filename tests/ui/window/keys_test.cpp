// No key of the main window has two meanings, and the place of the keyboard is always visible.

#include <QAbstractButton>
#include <QApplication>
#include <QDockWidget>
#include <QGroupBox>
#include <QMenu>
#include <QMenuBar>
#include <QPointer>
#include <QScrollArea>
#include <QTabBar>
#include <algorithm>
#include <map>
#include <set>

#include "tests/ui/support/window_test.h"
#include "ui/window/workspaces.h"

namespace stashscope::ui::test {
namespace window_keys_test {

using namespace Qt::StringLiterals;

class WindowKeys : public WindowTest {
 protected:
  void SetUp() override {
    WindowTest::SetUp();
    window().resize(1366, 768);
    open(sample(u"gpt2_tiny"_s));
  }

  void choose(const QString& workspace) {
    find<QAction>(u"workspace_"_s + workspace).trigger();
    QCoreApplication::processEvents();
  }
  static QStringList all_workspaces() {
    QStringList ids = {QString::fromLatin1(all_panels)};
    for (const Workspace& each : workspaces()) ids << QString::fromLatin1(each.id);
    return ids;
  }

  using Meanings = std::multimap<QKeySequence, QString>;

  static void add_shortcuts_of(const QMenu& menu, Meanings& meanings) {
    for (const QAction* const action : menu.actions()) {
      if (action->menu() != nullptr) add_shortcuts_of(*action->menu(), meanings);
      if (action->shortcutContext() == Qt::WidgetShortcut ||
          action->shortcutContext() == Qt::WidgetWithChildrenShortcut) {
        continue;
      }
      for (const QKeySequence& key : action->shortcuts()) meanings.emplace(key, action->text());
    }
  }

  static void add_mnemonic(const QString& text, Meanings& meanings) {
    const QKeySequence key = QKeySequence::mnemonic(text);
    if (!key.isEmpty()) meanings.emplace(key, text);
  }

  /// The keys that work while the focus is anywhere in the window.
  Meanings active_keys() {
    Meanings meanings;
    for (const QAction* const action : window().menuBar()->actions()) {
      add_mnemonic(action->text(), meanings);
      add_shortcuts_of(*action->menu(), meanings);
    }
    for (const QWidget* const widget : window().findChildren<QWidget*>()) {
      if (!widget->isVisible()) continue;
      if (const auto* const label = qobject_cast<const QLabel*>(widget)) {
        if (label->buddy() != nullptr) add_mnemonic(label->text(), meanings);
      } else if (const auto* const button = qobject_cast<const QAbstractButton*>(widget)) {
        add_mnemonic(button->text(), meanings);
      } else if (const auto* const box = qobject_cast<const QGroupBox*>(widget)) {
        add_mnemonic(box->title(), meanings);
      } else if (const auto* const tabs = qobject_cast<const QTabBar*>(widget)) {
        for (int i = 0; i < tabs->count(); ++i) add_mnemonic(tabs->tabText(i), meanings);
      }
    }
    return meanings;
  }

  /// Keys with Alt of a visible view, which would be ambiguous while the view has the focus.
  void expect_views_leave(const Meanings& meanings) {
    for (const QWidget* const widget : window().findChildren<QWidget*>()) {
      if (!widget->isVisible()) continue;
      for (const QAction* const action : widget->actions()) {
        if (action->shortcutContext() == Qt::WindowShortcut) continue;
        for (const QKeySequence& key : action->shortcuts()) {
          const bool has_alt = (key[0].keyboardModifiers() & Qt::AltModifier) != 0;
          const auto other = meanings.find(key);
          if (!has_alt || other == meanings.end() || other->second == action->text()) continue;
          ADD_FAILURE() << key.toString().toStdString() << ": " << action->text().toStdString()
                        << " in " << widget->objectName().toStdString() << " and "
                        << other->second.toStdString();
        }
      }
    }
  }

  void expect_one_meaning_each() {
    const Meanings meanings = active_keys();
    ASSERT_GT(meanings.size(), 40U);
    expect_views_leave(meanings);
    for (auto each = meanings.begin(); each != meanings.end(); ++each) {
      const auto next = std::next(each);
      if (next == meanings.end() || next->first != each->first) continue;
      ADD_FAILURE() << each->first.toString().toStdString() << ": " << each->second.toStdString()
                    << " and " << next->second.toStdString();
    }
  }

  /// The part of the window around a widget.
  QImage picture_around(const QWidget& widget) {
    constexpr int beside = 3;
    const QRect place(widget.mapTo(&window(), QPoint()), widget.size());
    return window().grab(place.adjusted(-beside, -beside, beside, beside)).toImage();
  }

  /// The theme frames tables and texts. Tabs have a test of their own.
  static bool shows_a_frame(const QWidget& widget) {
    return qobject_cast<const QAbstractScrollArea*>(&widget) == nullptr &&
           qobject_cast<const QTabBar*>(&widget) == nullptr;
  }

  static int pixels_that_differ(const QImage& a, const QImage& b) {
    if (a.size() != b.size()) return a.width() * a.height();
    int count = 0;
    for (int y = 0; y < a.height(); ++y) {
      for (int x = 0; x < a.width(); ++x) count += a.pixel(x, y) == b.pixel(x, y) ? 0 : 1;
    }
    return count;
  }
};

TEST_F(WindowKeys, HaveOneMeaningInEveryWorkspace) {
  for (const QString& id : all_workspaces()) {
    SCOPED_TRACE(id.toStdString());
    choose(id);
    expect_one_meaning_each();
  }
}

TEST_F(WindowKeys, HaveOneMeaningWithEveryPanelBesideTheOthers) {
  window().resize(3000, 2000);
  choose(QString::fromLatin1(all_panels));
  for (QDockWidget* const dock : window().findChildren<QDockWidget*>()) {
    dock->setFloating(true);
    dock->show();
  }
  QCoreApplication::processEvents();
  const Meanings meanings = active_keys();
  for (const QString& text : {u"Lar&gest"_s, u"&Budget"_s, u"P&lanner"_s}) {
    EXPECT_TRUE(std::ranges::any_of(meanings, [&](const auto& e) { return e.second == text; }))
        << text.toStdString() << " is seen";
  }
  expect_one_meaning_each();
}

TEST_F(WindowKeys, LeadToEveryPanel) {
  std::set<QKeySequence> keys;
  for (const QDockWidget* const dock : window().findChildren<QDockWidget*>()) {
    const QKeySequence key = find<QAction>(u"go_to_"_s + dock->objectName()).shortcut();
    EXPECT_FALSE(key.isEmpty()) << dock->objectName().toStdString();
    EXPECT_TRUE(keys.insert(key).second) << dock->objectName().toStdString();
  }
  choose(u"plan"_s);
  press(Qt::Key_1, Qt::ControlModifier | Qt::AltModifier);
  EXPECT_TRUE(find<QDockWidget>(u"history_dock"_s).isAncestorOf(QApplication::focusWidget()));
}

TEST_F(WindowKeys, OfAPanelLeadToItsListOrChart) {
  choose(u"order"_s);
  const auto leads = [this](Qt::Key key, const QString& name) {
    press(key, Qt::AltModifier);
    QWidget* const now = QApplication::focusWidget();
    EXPECT_TRUE(find<QWidget>(name).hasFocus())
        << (now == nullptr ? "nowhere" : now->objectName().toStdString());
  };
  leads(Qt::Key_1, u"plan_tree"_s);
  leads(Qt::Key_2, u"order_table"_s);
  leads(Qt::Key_6, u"memory_view"_s);
  leads(Qt::Key_7, u"alive_table"_s);
  leads(Qt::Key_8, u"sweep_chart"_s);
  press(Qt::Key_3, Qt::ControlModifier | Qt::AltModifier);
  EXPECT_TRUE(find<QWidget>(u"icicle_view"_s).hasFocus());
}

TEST_F(WindowKeys, ALetterScrollsToItsField) {
  choose(u"order"_s);
  auto& dock = find<QDockWidget>(u"planner_dock"_s);
  find<QAction>(u"go_to_planner_dock"_s).trigger();
  window().resizeDocks({&find<QDockWidget>(u"memory_dock"_s)}, {500}, Qt::Vertical);
  QCoreApplication::processEvents();
  auto* const scroll = dock.findChild<QScrollArea*>();
  ASSERT_NE(scroll, nullptr);
  auto& field = find<QWidget>(u"fit_dimension"_s);
  const auto is_seen = [&] {
    const QRect place(field.mapTo(scroll->viewport(), QPoint()), field.size());
    return scroll->viewport()->rect().contains(place);
  };
  ASSERT_FALSE(is_seen());
  window().graph().view().setFocus();
  press(Qt::Key_G, Qt::AltModifier);
  EXPECT_TRUE(field.isAncestorOf(QApplication::focusWidget()) || field.hasFocus());
  EXPECT_TRUE(is_seen());
}

TEST_F(WindowKeys, StayOrGoToTheWorkspacesPanel) {
  choose(u"plan"_s);
  plans().setFocus();
  press(Qt::Key_3, Qt::ControlModifier);
  QWidget* const now = QApplication::focusWidget();
  EXPECT_TRUE(find<QDockWidget>(u"planner_dock"_s).isAncestorOf(now))
      << (now == nullptr ? "nowhere" : now->objectName().toStdString());
  auto& curve = find<QWidget>(u"memory_view"_s);
  for (const Qt::Key key : {Qt::Key_2, Qt::Key_1, Qt::Key_4, Qt::Key_5}) {
    curve.setFocus();
    press(key, Qt::ControlModifier);
    EXPECT_TRUE(curve.hasFocus()) << key;
  }
}

TEST_F(WindowKeys, TabLeadsFromTheGraphToThePanels) {
  choose(u"overview"_s);
  window().graph().view().setFocus();
  press(Qt::Key_Tab);
  QWidget* const next = QApplication::focusWidget();
  const auto docks = window().findChildren<QDockWidget*>();
  EXPECT_TRUE(std::ranges::any_of(docks, [&](const QDockWidget* dock) {
    return dock->isAncestorOf(next);
  })) << (next == nullptr ? "nowhere" : next->objectName().toStdString());
}

TEST_F(WindowKeys, TheFocusIsVisibleOnButtonsFieldsAndCharts) {
  QApplication::setCursorFlashTime(0);
  for (const QString& id : all_workspaces()) {
    choose(id);
    window().graph().view().setFocus();
    const QWidget* const start = QApplication::focusWidget();
    QWidget* at = QApplication::focusWidget();
    for (int stops = 0; stops < 120 && at != nullptr; ++stops) {
      QPointer<QWidget> here = at;
      const QImage with = picture_around(*here);
      QTest::keyClick(here, Qt::Key_Tab);
      QCoreApplication::processEvents();
      at = QApplication::focusWidget();
      if (here != nullptr && here != at && here->isVisible() && shows_a_frame(*here)) {
        EXPECT_GE(pixels_that_differ(with, picture_around(*here)), 12)
            << id.toStdString() << ": " << here->metaObject()->className() << " "
            << here->objectName().toStdString() << " in "
            << here->parentWidget()->objectName().toStdString() << " \""
            << here->accessibleName().toStdString() << "\"";
      }
      if (at == start) break;
    }
  }
}

}  // namespace window_keys_test
}  // namespace stashscope::ui::test
