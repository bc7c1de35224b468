// The Edit menu of the main window.

#include <QAction>
#include <QDockWidget>
#include <QMenuBar>
#include <QShortcut>

#include "core/study/edits/taken_back.h"
#include "ui/panels/dimensions/size_menu.h"
#include "ui/text/enabling.h"
#include "ui/theme/icons.h"
#include "ui/widgets/key_action.h"
#include "ui/window/main_window.h"
#include "ui/window/mnemonics.h"

namespace stashscope::ui {

using namespace Qt::StringLiterals;

void MainWindow::make_edit_menu() {
  QMenu* const menu = menuBar()->addMenu(tr("&Edit"));
  QUndoStack& stack = document_.undo_stack();
  QAction* const undo =
      add_action(menu, u"undo"_s, tr("&Undo"), QKeySequence::Undo, [&stack] { stack.undo(); });
  QAction* const redo =
      add_action(menu, u"redo"_s, tr("&Redo"), QKeySequence::Redo, [&stack] { stack.redo(); });
  undo->setIcon(icon(Icon::undo));
  redo->setIcon(icon(Icon::redo));
  redo->setShortcuts({QKeySequence(u"Ctrl+Shift+Z"_s), QKeySequence(u"Ctrl+Y"_s)});
  add_undo_all(*menu);
  add_plans_off(*menu);
  QShortcut* const no_undo = make_no_undo();
  const auto enable = [this, &stack, undo, redo, no_undo] {
    no_undo->setEnabled(!stack.canUndo() && document_.study() != nullptr);
    enable_unless(*undo, stack.canUndo() ? QString() : why_no_undo(),
                  tr("Undo: %1").arg(stack.undoText()));
    enable_unless(*redo, stack.canRedo() ? QString() : tr("Nothing was undone"),
                  tr("Redo: %1").arg(stack.redoText()));
  };
  connect(&stack, &QUndoStack::indexChanged, undo, enable);
  connect(&stack, &QUndoStack::canRedoChanged, redo, enable);
  connect(&stack, &QUndoStack::undoTextChanged, undo, enable);
  connect(&document_, &Document::opened, undo, enable);
  enable();
  menu->addSeparator();
  add_size_menu(*menu);
  add_action(menu, u"copy_config"_s, tr("&Copy config string"), QKeySequence(u"Ctrl+Shift+C"_s),
             [this] { plans_->copy_config(); });
  menu->addSeparator();
  add_action(menu, u"find_plan"_s, tr("Filter p&lans"), QKeySequence(u"Ctrl+Shift+F"_s), [this] {
    go_to_dock(*findChild<QDockWidget*>(u"plans_dock"_s));
    plans_->focus_filter();
  });
  add_action(menu, u"find"_s, tr("&Find node"), QKeySequence::Find, [this] {
    graph_->focus_search();
  })->setIcon(icon(Icon::find));
  add_action(menu, u"find_next"_s, tr("Find &next"), QKeySequence::FindNext,
             [this] { graph_->find_next(1); });
  add_action(menu, u"find_previous"_s, tr("Find &previous"), QKeySequence::FindPrevious,
             [this] { graph_->find_next(-1); });
}

/// A shortcut with the key of Undo, for use while Undo is disabled. It says why nothing is undone.
QShortcut* MainWindow::make_no_undo() {
  auto* const key = new QShortcut(QKeySequence::Undo, this);
  key->setObjectName(u"no_undo"_s);
  connect(key, &QShortcut::activated, this, [this] { document_.notices().notify(why_no_undo()); });
  return key;
}

/// Why Undo is off. Undo does not take back choices that a session brought along.
QString MainWindow::why_no_undo() const {
  QString nothing = tr("Nothing was changed since the file was opened");
  const Choices& opened = document_.opened_choices();
  if (document_.study() == nullptr || taken_back(opened, plain_choices(opened)) == opened)
    return nothing;
  return tr("%1. Edit > Back to the plain model (%2) takes back the choices of the session.")
      .arg(nothing, actions_.at(u"plain_model"_s)->shortcut().toString(QKeySequence::NativeText));
}

/// Adds two commands: the first goes back to all choices with which the file was opened, the second
/// to the plain model with its present sizes and device.
void MainWindow::add_undo_all(QMenu& menu) {
  menu.setToolTipsVisible(true);
  add_way_back(
      menu, u"undo_all"_s, tr("Undo &all since the file was opened"),
      {QKeySequence(u"Ctrl+Alt+Z"_s), tr("All undone since the file was opened"),
       tr("Restores all choices in one step to their state when the file was opened, sizes and the "
          "device included. The choices of an opened session stay. Undo brings everything back."),
       tr("Nothing differs from the file as it was opened"),
       [this] { return document_.opened_choices(); }});
  add_search_words(
      *add_way_back(
          menu, u"plain_model"_s, tr("Back to the plain &model, also from a session"),
          {QKeySequence(u"Ctrl+Alt+M"_s), tr("Back to the plain model"),
           tr("Removes plans, passes, order, fusion and optimizer in one step, including those of "
              "the opened session. Sizes and the device stay. Undo brings everything back."),
           tr("The model is plain: no plans, passes, order, fusion or optimizer are chosen"),
           [this] {
             return taken_back(document_.choices(), plain_choices(document_.opened_choices()));
           }}),
      tr("undo clear reset off no plan start again"));
}

void MainWindow::add_plans_off(QMenu& menu) {
  add_search_words(
      *add_way_back(menu, u"plans_off"_s, tr("Turn all plans &off, keep other choices"),
                    {QKeySequence(u"Ctrl+Alt+O"_s), tr("All plans off"),
                     tr("Turns all plans off in one step, including partly used plans, and unpins "
                        "all nodes. Undo brings them back."),
                     tr("No plan is on"), [this] { return without_plans(document_.choices()); }}),
      tr("undo clear reset off no plan without plans remove"));
}

QAction* MainWindow::add_way_back(QMenu& menu, const QString& name, const QString& text,
                                  const WayBack& way) {
  QAction* const action = add_action(&menu, name, text, way.key,
                                     [this, way] { document_.choose(way.choices(), way.step); });
  const auto enable = [this, action, way] {
    const bool is_there = document_.study() == nullptr || way.choices() == document_.choices();
    enable_unless(*action,
                  document_.study() == nullptr ? tr("Open a model first")
                  : is_there                   ? way.why_not
                                               : QString(),
                  way.tip);
  };
  connect(&document_, &Document::choices_changed, action, enable);
  connect(&document_, &Document::opened, action, enable);
  enable();
  return action;
}

void MainWindow::add_size_menu(QMenu& menu) {
  auto* const sizes = new SizeMenu(document_, this);
  menu.addMenu(sizes);
  connect(sizes, &QMenu::aboutToShow, sizes, [sizes] { give_mnemonics(*sizes); });
  connect(sizes, &SizeMenu::size_wanted, this, &MainWindow::go_to_size);
}

}  // namespace stashscope::ui
