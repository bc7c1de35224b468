// Every key that a view handles is on the shortcut sheet, and every key on the sheet works.

#include <QApplication>
#include <QContextMenuEvent>
#include <QDockWidget>
#include <QMenu>
#include <QSignalSpy>
#include <QTimer>

#include "tests/ui/support/window_test.h"
#include "ui/memory/memory_view.h"
#include "ui/memory/sweep_chart.h"
#include "ui/palette/commands.h"
#include "ui/panels/planner/plan_chart.h"
#include "ui/widgets/key_action.h"

namespace stashscope::ui::test {
namespace view_keys_test {

using namespace Qt::StringLiterals;

class ViewKeys : public WindowTest {
 protected:
  void SetUp() override {
    WindowTest::SetUp();
    open(sample(u"gpt2_tiny"_s));
    fill_charts();
    window().graph().view().isolate(1);
  }

  /// Fills all charts, so that each key has something to do.
  void fill_charts() {
    auto& plan_chart = find<PlanChart>(u"plan_chart"_s);
    plan_chart.set_points({{100, 0.5}, {200, 0.2}, {300, 0}});
    disconnect_choices(plan_chart);
    auto& sweep = find<SweepChart>(u"sweep_chart"_s);
    front(sweep);
    ASSERT_TRUE(comes_true([&] { return !sweep.points().empty(); }));
    disconnect_choices(sweep);
    find<ComparePanel>(u"compare_panel"_s).open(sample(u"lenet"_s));
    ASSERT_TRUE(
        comes_true([this] { return find<ComparePanel>(u"compare_panel"_s).is_comparing(); }));
  }
  /// Disconnects the effects of a choice, because they would change the charts.
  static void disconnect_choices(PlanChart& chart) {
    QObject::disconnect(&chart, &PlanChart::point_chosen, nullptr, nullptr);
  }
  static void disconnect_choices(SweepChart& chart) {
    QObject::disconnect(&chart, &SweepChart::value_chosen, nullptr, nullptr);
  }

  std::vector<QWidget*> views() {
    std::vector<QWidget*> views;
    for (const QString& name : {u"graph_view"_s, u"memory_view"_s, u"sweep_chart"_s,
                                u"plan_chart"_s, u"comparison_chart"_s, u"icicle_view"_s}) {
      views.push_back(&find<QWidget>(name));
    }
    return views;
  }

  void front(QWidget& view) {
    for (QWidget* each = &view; each != nullptr; each = each->parentWidget()) {
      if (auto* const dock = qobject_cast<QDockWidget*>(each)) dock->raise();
    }
    view.setFocus();
    QCoreApplication::processEvents();
    ASSERT_TRUE(view.hasFocus()) << view.objectName().toStdString();
  }

  std::vector<Command> commands_of(const QWidget& view) {
    std::vector<Command> commands = commands_with_keys(*window().menuBar(), window());
    std::erase_if(commands, [&](const Command& each) { return each.widget != &view; });
    return commands;
  }
  std::set<QKeySequence> listed_keys(const QWidget& view) {
    std::set<QKeySequence> keys;
    for (const Command& each : commands_of(view)) {
      for (const QKeySequence& key : each.action->shortcuts()) keys.insert(key);
      keys.insert(told_key(*each.action));
    }
    return keys;
  }

  /// Whether a view handles a key that is not a shortcut.
  static bool takes(QWidget& view, QKeyCombination key) {
    QKeyEvent event(QEvent::KeyPress, key.key(), key.keyboardModifiers());
    static_cast<QObject&>(view).event(&event);
    return event.isAccepted();
  }
};

std::vector<QKeyCombination> all_keys() {
  std::vector<int> keys;
  for (int key = Qt::Key_Space; key <= Qt::Key_AsciiTilde; ++key) keys.push_back(key);
  for (int key = Qt::Key_Escape; key <= Qt::Key_PageDown; ++key) {
    // Tab moves to the next widget everywhere.
    if (key != Qt::Key_Tab && key != Qt::Key_Backtab) keys.push_back(key);
  }
  for (int key = Qt::Key_F1; key <= Qt::Key_F12; ++key) keys.push_back(key);
  keys.push_back(Qt::Key_Menu);
  std::vector<QKeyCombination> all;
  for (const int key : keys) {
    for (const auto modifier :
         {Qt::NoModifier, Qt::ShiftModifier, Qt::ControlModifier, Qt::AltModifier}) {
      all.emplace_back(modifier, static_cast<Qt::Key>(key));
    }
  }
  return all;
}

TEST_F(ViewKeys, AllThatAViewTakesAreOnTheSheet) {
  for (QWidget* const view : views()) {
    front(*view);
    const std::set<QKeySequence> listed = listed_keys(*view);
    EXPECT_GE(listed.size(), 5U) << view->objectName().toStdString();
    for (const QKeyCombination key : all_keys()) {
      if (!takes(*view, key)) continue;
      EXPECT_TRUE(listed.contains(QKeySequence(key)))
          << view->objectName().toStdString() << " takes "
          << QKeySequence(key).toString().toStdString();
      window().graph().view().isolate(1);
    }
  }
}

TEST_F(ViewKeys, AllOnTheSheetWork) {
  int pressed = 0;
  for (QWidget* const view : views()) {
    for (const Command& command : commands_of(*view)) {
      for (const QKeySequence& key : command.action->shortcuts()) {
        front(*view);
        if (!command.action->isEnabled()) continue;
        const QSignalSpy triggered(command.action, &QAction::triggered);
        QTest::keyClick(view, key[0].key(), key[0].keyboardModifiers());
        EXPECT_EQ(triggered.size(), 1)
            << view->objectName().toStdString() << ": " << key.toString().toStdString();
        if (QWidget* const popup = QApplication::activePopupWidget()) popup->close();
        ++pressed;
      }
    }
  }
  EXPECT_GT(pressed, 45) << "few are disabled";
}

TEST_F(ViewKeys, EscapeEndsIsolationThoughTheWindowHasItToo) {
  GraphView& graph = window().graph().view();
  EXPECT_TRUE(listed_keys(graph).contains(QKeySequence(Qt::Key_Escape)));
  front(graph);
  ASSERT_TRUE(graph.isolation());
  QTest::keyClick(&graph, Qt::Key_Escape);
  EXPECT_FALSE(graph.isolation());
}

TEST_F(ViewKeys, TheRightMouseButtonListsThemBesideACurve) {
  MemoryView& memory = find<MemoryView>(u"memory_view"_s);
  front(memory);
  QPointer<QMenu> menu;
  // The menu stays open until a key chooses.
  QTimer::singleShot(0, &memory, [&menu] {
    menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
    if (menu == nullptr) return;
    for (QAction* const action : menu->actions()) {
      if (action->text() == u"Switch between bands and tensors"_s) menu->setActiveAction(action);
    }
    QTest::keyClick(menu, Qt::Key_Return);
  });
  const QPoint at = memory.rect().center();
  QContextMenuEvent event(QContextMenuEvent::Mouse, at, memory.mapToGlobal(at));
  QApplication::sendEvent(&memory, &event);
  EXPECT_EQ(memory.look().fill, MemoryLook::Fill::tensors);
}

TEST_F(ViewKeys, ThePaletteOffersWhatCanBeSeen) {
  const auto offers = [this](const QString& name) {
    for (const Command& each : all_commands(*window().menuBar(), window())) {
      if (each.name == name && can_be_done(each)) return true;
    }
    return false;
  };
  front(find<QWidget>(u"memory_view"_s));
  EXPECT_TRUE(offers(u"Switch between bands and tensors"_s));
  EXPECT_FALSE(offers(u"First point"_s)) << "behind the memory curve and the plans";
  front(find<QWidget>(u"sweep_chart"_s));
  EXPECT_TRUE(offers(u"First point"_s));
  EXPECT_FALSE(offers(u"Switch between bands and tensors"_s));
}

}  // namespace view_keys_test
}  // namespace stashscope::ui::test
