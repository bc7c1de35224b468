// The parts of the main window that lead to the planner: the Planner menu, the answer bar, and the
// budget field in the toolbar.

#include <QAction>
#include <QDockWidget>
#include <QMenuBar>
#include <QTimer>
#include <utility>

#include "ui/palette/command_palette.h"
#include "ui/panels/memory/memory_panel.h"
#include "ui/theme/icons.h"
#include "ui/widgets/amount_field.h"
#include "ui/widgets/key_action.h"
#include "ui/window/fit_device_menu.h"
#include "ui/window/main_window.h"
#include "ui/window/pass_menu.h"

namespace stashscope::ui {

using namespace Qt::StringLiterals;

void MainWindow::make_planner_menu() {
  QMenu* const menu = menuBar()->addMenu(tr("P&lanner"));
  menu->setToolTipsVisible(true);
  add_action(menu, u"set_budget"_s, tr("&Set a budget"), QKeySequence(u"Ctrl+B"_s), [this] {
    show_planner();
    planner_->focus_budget();
  });
  add_action(menu, u"plan"_s, tr("&Plan for the budget"), QKeySequence(u"Ctrl+Shift+B"_s), [this] {
    show_planner();
    planner_->plan();
  });
  add_action(menu, u"draw_curve"_s, tr("Draw the &curve of peak against time"),
             QKeySequence(u"Ctrl+Shift+T"_s), [this] {
               show_planner();
               planner_->draw_curve();
             });
  add_action(menu, u"find_largest"_s, tr("&Largest size that fits"),
             QKeySequence(u"Ctrl+Shift+L"_s), [this] {
               show_planner();
               planner_->find_largest();
             });
  menu->addMenu(new FitDeviceMenu(document_, this));
  QAction* const reserved =
      add_action(menu, u"count_reserved"_s, tr("Count what PyTorch's &allocator reserves"), {},
                 [this] { memory_->switch_reserved(); });
  reserved->setToolTip(
      tr("Switches the allocator on or off, as the button Reserved in the panel Memory does. "
         "While it is on, answers, budgets and largest sizes count what it reserves."));
  reserved->setCheckable(true);
  const auto show = [this, reserved] {
    reserved->setChecked(document_.choices().allocator.has_value());
  };
  connect(&document_, &Document::choices_changed, reserved, show);
  connect(&document_, &Document::study_changed, reserved, show);
  add_search_words(*reserved, tr("reserved memory caching fragmentation fits"));
  add_action(menu, u"stop_planning"_s, tr("S&top"), QKeySequence(u"Ctrl+."_s), [this] {
    planning_.stop();
  })->setIcon(icon(Icon::stop));
}

void MainWindow::show_planner() { workspaces_.open(*findChild<QDockWidget*>(u"planner_dock"_s)); }

void MainWindow::add_answer_bar() {
  answers_ = new AnswerBar(document_);
  addToolBarBreak();
  addToolBar(answers_);
  keep_graph_in_view();
  // An arrangement that was saved while no model was open would hide the bar.
  connect(&workspaces_, &Workspaces::arranged, answers_, &QWidget::show);
  connect(answers_, &AnswerBar::device_wanted, this,
          [this](const QPoint& at) { findChild<FitDeviceMenu*>()->popup(at); });
  connect(answers_, &AnswerBar::optimizer_wanted, this, &MainWindow::open_optimizer_menu);
  connect(answers_, &AnswerBar::passes_wanted, this,
          [this](const QPoint& at) { findChild<PassMenu*>()->popup(at); });
  connect(palette_, &CommandPalette::missed, this, [this](const QString& name) {
    document_.notices().notify(
        tr("%1: not done, because the step has changed since the list was opened.").arg(name));
  });
  connect(answers_, &AnswerBar::fit_wanted, this, [this] {
    show_planner();
    planner_->fit_device();
  });
}

/// When the user changes the workspace, the part of the graph that was in view stays in view, even
/// if the graph is narrower in the new workspace.
void MainWindow::keep_graph_in_view() {
  connect(&workspaces_, &Workspaces::leaving, this,
          [this] { seen_before_ = graph_->view().seen(); });
  connect(&workspaces_, &Workspaces::arranged, this, [this] {
    // Docks take their sizes after this event.
    QTimer::singleShot(0, this, [this, part = std::exchange(seen_before_, QRectF())] {
      graph_->view().keep_in_view(part);
    });
  });
}

/// Text typed in this field also becomes the budget of the planner's panel.
void MainWindow::add_budget_field(ToolBar* bar) {
  auto* const field = new AmountField(planner_->budget_text());
  field->setObjectName(u"toolbar_budget"_s);
  field->setAccessibleName(tr("Budget"));
  field->setToolTip(
      tr("Limit for the peak: a size such as 12 (GiB), a share such as 60% of the peak without "
         "plans, or how much of that peak to save, such as -4 (GiB). Press Return to search for a "
         "plan."));
  connect(planner_, &PlannerPanel::budget_changed, field, [this, field] {
    if (field->text() != planner_->budget_text()) field->setText(planner_->budget_text());
  });
  connect(field, &QLineEdit::textEdited, planner_, &PlannerPanel::set_budget_text);
  connect(field, &QLineEdit::returnPressed, this, [this] {
    if (document_.study() == nullptr) return;
    if (!planner_->budget_fault().isEmpty()) {
      return show_failure({ErrorKind::usage, planner_->budget_fault()});
    }
    // If the panel cannot search now, the panel states the reason.
    show_planner();
    planner_->plan();
  });
  bar->addSeparator();
  bar->add_label(tr("Budget"));
  bar->addWidget(field);
}

}  // namespace stashscope::ui
