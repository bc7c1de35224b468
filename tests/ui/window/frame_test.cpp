// The window around the panels: commands, keys, layouts, text size, toolbar.

#include <QAction>
#include <QApplication>
#include <QDockWidget>
#include <QInputDialog>
#include <QLineEdit>
#include <QListView>
#include <QMenu>
#include <QMenuBar>
#include <QSettings>
#include <QSpinBox>
#include <QToolButton>

#include "core/onnx/model_file.h"
#include "tests/support/captured_model.h"
#include "tests/ui/support/window_test.h"
#include "ui/memory/memory_view.h"
#include "ui/models/plan_tree_model.h"
#include "ui/palette/command_model.h"
#include "ui/palette/commands.h"
#include "ui/theme/text_size.h"
#include "ui/window/shortcut_sheet.h"

namespace stashscope::ui::test {
namespace frame_test {

using namespace Qt::StringLiterals;

class Frame : public WindowTest {
 protected:
  void TearDown() override {
    apply_text_size(*qApp, 100);
    QSettings().clear();
  }
};

class Palette : public Frame {
 protected:
  QWidget& palette() { return find<QWidget>(u"command_palette"_s); }
  QLineEdit& line() { return find<QLineEdit>(u"command_line"_s); }
  QListView& list() { return find<QListView>(u"command_list"_s); }
  QString first() { return list().model()->index(0, 0).data().toString(); }

  /// Opens the palette and types into the widget that then has the focus.
  void type(const QString& letters) {
    press(Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
    ASSERT_TRUE(palette().isVisible());
    ASSERT_EQ(QApplication::focusWidget(), &line());
    QTest::keyClicks(&line(), letters);
  }
  void press_return() { QTest::keyClick(&line(), Qt::Key_Return); }
};

TEST_F(Palette, DoesWhatIsTyped) {
  open(sample(u"gpt2_tiny"_s));
  type(u"fusion mem"_s);
  EXPECT_TRUE(first().endsWith(u"memory-aware"_s)) << first().toStdString();
  press_return();
  EXPECT_FALSE(palette().isVisible());
  ASSERT_TRUE(settles());
  EXPECT_EQ(document().choices().fusion.strategy, "memory-aware");
  EXPECT_EQ(document().undo_stack().undoText(), u"Fusion memory-aware"_s);
}

TEST_F(Palette, OpensSamplesAndRecentFiles) {
  type(u"lenet"_s);
  press_return();
  ASSERT_TRUE(settles());
  EXPECT_TRUE(document().model_path().contains(u"lenet"_s));
  open(sample(u"gpt2_tiny"_s));
  type(u"recent lenet"_s);
  EXPECT_TRUE(first().startsWith(u"File › Open recent › "_s)) << first().toStdString();
  press_return();
  ASSERT_TRUE(comes_true([this] { return document().model_path().contains(u"lenet"_s); }));
  ASSERT_TRUE(settles());
}

TEST_F(Palette, LeadsToTheFieldsOfSizes) {
  open(sample(u"gpt2_tiny"_s));
  for (const auto& [typed, dimension] : {std::pair(u"batch"_s, u"inputs_input_ids_dim0"_s),
                                         {u"sequence"_s, u"inputs_input_ids_dim1"_s},
                                         {u"size"_s, u"inputs_input_ids_dim1"_s}}) {
    type(typed);
    const QString entry = u"(%1)"_s.arg(dimension);
    const auto found = list().model()->match(list().model()->index(0, 0), Qt::DisplayRole, entry, 1,
                                             Qt::MatchContains);
    ASSERT_EQ(found.size(), 1) << typed.toStdString();
    EXPECT_TRUE(found.front().data().toString().contains(u"Set "_s));
    list().setCurrentIndex(found.front());
    press_return();
    const auto& field = find<QWidget>(u"dimension:"_s + dimension);
    EXPECT_TRUE(field.isVisible() && field.hasFocus()) << typed.toStdString();
  }
}

TEST_F(Palette, ByMouse) {
  open(sample(u"gpt2_tiny"_s));
  for (QToolButton* const button : window().findChildren<QToolButton*>()) {
    if (button->defaultAction() == &find<QAction>(u"commands"_s)) click(*button);
  }
  ASSERT_TRUE(palette().isVisible());
  QTest::keyClicks(&line(), u"go to order"_s);
  const QModelIndex row = list().model()->index(0, 0);
  QTest::mouseClick(list().viewport(), Qt::LeftButton, {}, list().visualRect(row).center());
  EXPECT_FALSE(palette().isVisible());
  EXPECT_TRUE(find<QWidget>(u"orders_dock"_s).isAncestorOf(QApplication::focusWidget()));
}

TEST_F(Palette, ArrowsWalkAndEscapeGoesBack) {
  open(sample(u"gpt2_tiny"_s));
  QWidget* const before = QApplication::focusWidget();
  press(Qt::Key_K, Qt::ControlModifier);
  ASSERT_TRUE(palette().isVisible());
  const int rows = list().model()->rowCount();
  ASSERT_GT(rows, 40);
  QTest::keyClick(&line(), Qt::Key_Down);
  EXPECT_EQ(list().currentIndex().row(), 1);
  QTest::keyClick(&line(), Qt::Key_Up);
  QTest::keyClick(&line(), Qt::Key_Up);
  EXPECT_EQ(list().currentIndex().row(), rows - 1);
  QTest::keyClick(&line(), Qt::Key_PageUp);
  EXPECT_LT(list().currentIndex().row(), rows - 10);
  QTest::keyClicks(&line(), u"qqxqq"_s);
  EXPECT_EQ(list().model()->rowCount(), 0);
  press_return();
  EXPECT_TRUE(palette().isVisible()) << "nothing fits, nothing is done";
  QTest::keyClick(&line(), Qt::Key_Escape);
  EXPECT_FALSE(palette().isVisible());
  EXPECT_EQ(QApplication::focusWidget(), before);
}

TEST_F(Palette, OffersOnlyWhatCanBeDone) {
  press(Qt::Key_K, Qt::ControlModifier);
  for (int row = 0; row < list().model()->rowCount(); ++row) {
    EXPECT_NE(list().model()->index(row, 0).data().toString(), u"Run › Run the step"_s);
  }
}

TEST_F(Palette, WhatCannotBeDoneIsGreyWithItsReasonAndDoesNothing) {
  open(sample(u"gpt2_tiny"_s));
  type(u"undo"_s);
  ASSERT_EQ(first(), u"Edit › Undo"_s);
  EXPECT_TRUE(list()
                  .model()
                  ->index(0, 0)
                  .data(CommandModel::why_not)
                  .toString()
                  .contains(u"Nothing was changed"_s));
  const Choices before = document().choices();
  press_return();
  EXPECT_TRUE(palette().isVisible()) << "the reason stays in sight";
  EXPECT_EQ(document().choices(), before);
  for (int row = 0; row < list().model()->rowCount(); ++row) {
    const QString name = list().model()->index(row, 0).data().toString();
    EXPECT_FALSE(name.startsWith(u"Passes"_s)) << name.toStdString();
  }
}

TEST_F(Palette, AMenuThatIsOffTakesItsCommandsAlong) {
  const QString file = in_folder(u"step.onnx"_s);
  save_model(Graph(stashscope::test::captured_data()), file.toStdString());
  open(file);
  const int steps = document().undo_stack().count();
  type(u"fuse bias"_s);
  ASSERT_TRUE(first().startsWith(u"Passes › "_s)) << first().toStdString();
  EXPECT_FALSE(list().model()->index(0, 0).data(CommandModel::why_not).toString().isEmpty());
  press_return();
  EXPECT_EQ(document().undo_stack().count(), steps);
}

TEST_F(Palette, DoesWhatOnlyAPanelHasAKeyFor) {
  open(sample(u"gpt2_tiny"_s));
  auto& memory = find<MemoryView>(u"memory_view"_s);
  ASSERT_EQ(memory.look().fill, MemoryLook::Fill::bands);
  type(u"bands and tens"_s);
  EXPECT_EQ(first(), u"Memory curve › Switch between bands and tensors"_s);
  press_return();
  EXPECT_EQ(memory.look().fill, MemoryLook::Fill::tensors);
}

TEST_F(Palette, AClickElsewhereClosesIt) {
  open(sample(u"gpt2_tiny"_s));
  press(Qt::Key_K, Qt::ControlModifier);
  QTest::mouseClick(&find<QWidget>(u"graph_view"_s), Qt::LeftButton, {}, QPoint(3, 300));
  find<QWidget>(u"graph_view"_s).setFocus();
  EXPECT_FALSE(palette().isVisible());
}

class Keys : public Frame {
 protected:
  /// Fills the menus, as showing them does.
  static void visit(QMenu& menu, const std::function<void(QMenu&)>& take) {
    Q_EMIT menu.aboutToShow();
    take(menu);
    for (QAction* const action : menu.actions()) {
      if (action->menu() != nullptr) visit(*action->menu(), take);
    }
  }
  void visit_menus(const std::function<void(QMenu&)>& take) {
    for (QAction* const action : window().menuBar()->actions()) visit(*action->menu(), take);
  }
  static QChar mnemonic_of(const QAction& action) {
    const QString text = QKeySequence::mnemonic(action.text()).toString();
    return text.isEmpty() ? QChar() : text.back().toLower();
  }
};

TEST_F(Keys, NoTwoActionsShareAShortcut) {
  open(sample(u"gpt2_tiny"_s));
  visit_menus([](QMenu&) {});
  std::map<QString, QString> owners;
  std::set<QAction*> seen;
  const auto claim = [&](QAction* action) {
    if (!seen.insert(action).second) return;
    const bool needs_focus = action->shortcutContext() == Qt::WidgetShortcut;
    const QString where =
        needs_focus ? u" in %1"_s.arg(reinterpret_cast<quintptr>(action->parent())) : QString();
    for (const QKeySequence& key : action->shortcuts()) {
      EXPECT_FALSE(needs_focus && owners.contains(key.toString()))
          << key.toString().toStdString() << " of a panel is one of the window";
      const auto [owner, is_new] = owners.emplace(key.toString() + where, action->text());
      EXPECT_TRUE(is_new) << key.toString().toStdString() << ": " << owner->second.toStdString()
                          << " and " << action->text().toStdString();
    }
  };
  for (QAction* const action : window().findChildren<QAction*>()) claim(action);
  EXPECT_GT(owners.size(), 30U);
  for (QAction* const menu : window().menuBar()->actions()) {
    const QString key = QKeySequence::mnemonic(menu->text()).toString();
    EXPECT_TRUE(owners.emplace(key, menu->text()).second) << key.toStdString();
  }
}

TEST_F(Keys, EveryActionHasAKeyOrAMnemonicOfItsOwn) {
  open(sample(u"gpt2_tiny"_s));
  int seen = 0;
  visit_menus([&](QMenu& menu) {
    std::set<QChar> letters;
    for (QAction* const action : menu.actions()) {
      if (action->isSeparator()) continue;
      ++seen;
      const QChar letter = mnemonic_of(*action);
      EXPECT_TRUE(!letter.isNull() || !action->shortcut().isEmpty())
          << menu.title().toStdString() << ": " << action->text().toStdString();
      if (letter.isNull()) continue;
      EXPECT_TRUE(letters.insert(letter).second)
          << menu.title().toStdString() << ": " << action->text().toStdString();
    }
  });
  EXPECT_GT(seen, 60);
}

TEST_F(Keys, TheSheetListsThem) {
  open(sample(u"gpt2_tiny"_s));
  press(Qt::Key_F1);
  auto& sheet = find<ShortcutSheet>(u"shortcut_sheet"_s);
  ASSERT_TRUE(comes_true([&] { return QApplication::activeWindow() == &sheet; }));
  auto& table = find<QTableView>(u"shortcut_table"_s);
  std::size_t with_keys = 0;
  for (const Command& each : menu_commands(*window().menuBar())) {
    with_keys += each.keys().isEmpty() ? 0 : 1;
  }
  EXPECT_GE(table.model()->rowCount(), static_cast<int>(with_keys));
  auto& search = find<QLineEdit>(u"shortcut_search"_s);
  QTest::keyClicks(&search, u"redo"_s);
  ASSERT_EQ(table.model()->rowCount(), 1);
  EXPECT_EQ(table.model()->index(0, ShortcutModel::keys).data().toString(),
            u"Ctrl+Shift+Z; Ctrl+Y"_s);
  search.clear();
  QTest::keyClicks(&search, u"Ten slots back"_s);
  ASSERT_EQ(table.model()->rowCount(), 3) << "of three charts over the slots";
  const auto place = [&](int row) {
    return table.model()->index(row, ShortcutModel::place).data().toString();
  };
  EXPECT_EQ((std::set{place(0), place(1), place(2)}),
            (std::set{u"Memory curve"_s, u"Memory curves of both sides"_s,
                      u"Static arena of the step"_s}));
  search.clear();
  QTest::keyClicks(&search, u"Switch between bands and tensors"_s);
  ASSERT_EQ(table.model()->rowCount(), 1);
  EXPECT_EQ(table.model()->index(0, ShortcutModel::keys).data().toString(), u"T"_s);
  search.clear();
  QTest::keyClicks(&search, u"Ctrl+K"_s);
  ASSERT_EQ(table.model()->rowCount(), 1);
  EXPECT_EQ(table.model()->index(0, ShortcutModel::name).data().toString(), u"Commands…"_s);
  QTest::keyClick(&search, Qt::Key_Escape);
  ASSERT_TRUE(
      comes_true([this] { return window().findChild<QWidget*>(u"shortcut_sheet"_s) == nullptr; }));
  press(Qt::Key_Slash, Qt::ControlModifier);
  EXPECT_NE(window().findChild<QWidget*>(u"shortcut_sheet"_s), nullptr);
  press(Qt::Key_F1);
  EXPECT_EQ(window().findChildren<ShortcutSheet*>().size(), 1) << "it only comes to the front";
  find<QAction>(u"about"_s).trigger();
  find<QAction>(u"about"_s).trigger();
  EXPECT_EQ(window().findChildren<QWidget*>(u"about_box"_s).size(), 1);
}

TEST_F(Keys, DigitsGoToPanels) {
  open(sample(u"gpt2_tiny"_s));
  auto& orders = find<QDockWidget>(u"orders_dock"_s);
  orders.close();
  press(Qt::Key_2, Qt::AltModifier);
  EXPECT_TRUE(orders.isVisible());
  EXPECT_TRUE(orders.isAncestorOf(QApplication::focusWidget()));
  auto& history = find<QDockWidget>(u"history_dock"_s);
  ASSERT_TRUE(history.visibleRegion().isEmpty()) << "it is behind the inspector";
  find<QAction>(u"go_to_history_dock"_s).trigger();
  QTest::qWait(1);
  EXPECT_FALSE(history.visibleRegion().isEmpty());
  EXPECT_TRUE(history.isAncestorOf(QApplication::focusWidget()));
  press(Qt::Key_0, Qt::AltModifier);
  EXPECT_EQ(QApplication::focusWidget(), &find<QWidget>(u"graph_view"_s));
}

TEST_F(Keys, APanelFocusesItsMainWidget) {
  open(sample(u"gpt2_tiny"_s));
  press(Qt::Key_1, Qt::AltModifier);
  EXPECT_EQ(QApplication::focusWidget(), &find<QWidget>(u"plan_tree"_s));
  press(Qt::Key_3, Qt::AltModifier);
  EXPECT_NE(qobject_cast<QSpinBox*>(QApplication::focusWidget()), nullptr);
}

class Layouts : public Frame {
 protected:
  QMenu& menu() {
    auto& menu = find<QMenu>(u"layout_menu"_s);
    Q_EMIT menu.aboutToShow();
    return menu;
  }
  QDockWidget& plans() { return find<QDockWidget>(u"plans_dock"_s); }
  void trigger(const QString& name) {
    menu();
    find<QAction>(name).trigger();
  }
  void save_as(const QString& name) {
    trigger(u"save_layout"_s);
    auto& dialog = find<QInputDialog>(u"layout_name_dialog"_s);
    auto* const line = dialog.findChild<QLineEdit*>();
    ASSERT_NE(line, nullptr);
    ASSERT_TRUE(comes_true([&] { return line->hasFocus(); }));
    QTest::keyClicks(line, name);
    QTest::keyClick(line, Qt::Key_Return);
  }
};

TEST_F(Layouts, AreSavedAppliedAndReset) {
  open(sample(u"gpt2_tiny"_s));
  plans().close();
  save_as(u"only & graph"_s);
  trigger(u"reset_layout"_s);
  EXPECT_TRUE(plans().isVisible());
  trigger(u"layout:only & graph"_s);
  EXPECT_FALSE(plans().isVisible());
  start_window();
  open(sample(u"lenet"_s));
  EXPECT_TRUE(plans().isVisible()) << "the old window was not closed, so nothing was remembered";
  trigger(u"layout:only & graph"_s);
  EXPECT_FALSE(plans().isVisible());
  for (QMenu* const each : menu().findChildren<QMenu*>()) {
    if (!each->actions().isEmpty()) each->actions().front()->trigger();
  }
  menu();
  EXPECT_EQ(window().findChild<QAction*>(u"layout:only & graph"_s), nullptr);
}

TEST_F(Layouts, ResetFindsFloatingAndHiddenPanels) {
  open(sample(u"gpt2_tiny"_s));
  const int width = plans().width();
  plans().setFloating(true);
  find<QDockWidget>(u"memory_dock"_s).close();
  trigger(u"reset_layout"_s);
  EXPECT_TRUE(comes_true([&] { return std::abs(plans().width() - width) <= 4; }))
      << plans().width() << " instead of " << width;
  EXPECT_FALSE(plans().isFloating());
  EXPECT_TRUE(find<QDockWidget>(u"memory_dock"_s).isVisible());
}

TEST_F(Layouts, TheLastOneIsRemembered) {
  open(sample(u"gpt2_tiny"_s));
  plans().close();
  window().close();
  start_window();
  open(sample(u"gpt2_tiny"_s));
  EXPECT_FALSE(plans().isVisible());
  trigger(u"reset_layout"_s);
  EXPECT_TRUE(plans().isVisible());
}

TEST_F(Frame, TextGrowsAndIsRemembered) {
  open(sample(u"gpt2_tiny"_s));
  auto& plans = find<PlanTreeView>(u"plan_tree"_s);
  const auto row_height = [&] { return plans.visualRect(plans.model()->index(0, 0)).height(); };
  const int row = row_height();
  const int column = plans.columnWidth(PlanTreeModel::frequency);
  const double size = plans.font().pointSizeF();
  const double zoom = window().graph().view().camera().zoom;
  press(Qt::Key_Plus, Qt::ControlModifier | Qt::AltModifier);
  find<QAction>(u"larger_text"_s).trigger();
  EXPECT_NEAR(plans.font().pointSizeF(), 1.25 * size, 0.1);
  EXPECT_GT(row_height(), row);
  EXPECT_NEAR(plans.columnWidth(PlanTreeModel::frequency), 1.25 * column, 2);
  EXPECT_NEAR(window().graph().view().camera().zoom, 1.25 * zoom, 0.05 * zoom);
  EXPECT_EQ(remembered_text_size(), 125);
  press(Qt::Key_Minus, Qt::ControlModifier | Qt::AltModifier);
  EXPECT_EQ(remembered_text_size(), 110);
  press(Qt::Key_0, Qt::ControlModifier | Qt::AltModifier);
  EXPECT_NEAR(plans.font().pointSizeF(), size, 0.01);
  EXPECT_EQ(row_height(), row);
  EXPECT_NEAR(plans.columnWidth(PlanTreeModel::frequency), column, 2);
}

TEST(TextSize, GoesFromOneChoiceToTheNext) {
  EXPECT_EQ(next_text_size(100, 1), 110);
  EXPECT_EQ(next_text_size(100, -1), 90);
  EXPECT_EQ(next_text_size(104, 1), 110);
  EXPECT_EQ(next_text_size(104, -1), 100);
  EXPECT_EQ(next_text_size(text_sizes().back(), 1), text_sizes().back());
  EXPECT_EQ(next_text_size(text_sizes().front(), -1), text_sizes().front());
}

TEST_F(Frame, TheToolbarChoosesOrderFusionAndDevice) {
  open(sample(u"gpt2_tiny"_s));
  auto& order = find<QToolButton>(u"order_button"_s);
  EXPECT_EQ(order.text(), u"Order: file"_s);
  QMenu* const menu = order.menu();
  // The menu stays open until a key chooses.
  QTimer::singleShot(0, menu, [menu] {
    QTest::keyClick(menu, Qt::Key_Down);
    QTest::keyClick(menu, Qt::Key_Down);
    QTest::keyClick(menu, Qt::Key_Return);
  });
  click(order);
  ASSERT_TRUE(settles());
  EXPECT_EQ(document().choices().order.strategy, order_rows(*document().study())[1].name);
  EXPECT_TRUE(order.text().endsWith(QString::fromStdString(*document().choices().order.strategy)));
  EXPECT_TRUE(menu->actions()[1]->text().contains(u"\t"_s)) << "its peak stands beside it";
  menu->actions()[1]->trigger();
  EXPECT_TRUE(menu->actions()[1]->isChecked()) << "choosing it again leaves it chosen";
  find<QAction>(u"device_cpu"_s).trigger();
  EXPECT_EQ(document().choices().device, "cpu");
}

}  // namespace frame_test
}  // namespace stashscope::ui::test
