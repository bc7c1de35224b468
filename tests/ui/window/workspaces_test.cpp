#include "ui/window/workspaces.h"

#include <QSettings>

#include "tests/ui/support/window_test.h"

namespace stashscope::ui::test {
namespace window_workspaces_test {

using namespace Qt::StringLiterals;

class WorkspacesOfWindow : public WindowTest {
 protected:
  QStringList shown_panels() {
    QStringList names;
    for (const QDockWidget* const dock : window().findChildren<QDockWidget*>()) {
      if (dock->isVisible() && !dock->visibleRegion().isEmpty()) names << dock->objectName();
    }
    names.sort();
    return names;
  }
  void choose(const QString& id) { find<QAction>(u"workspace_"_s + id).trigger(); }
};

TEST_F(WorkspacesOfWindow, ShowAtMostFourPanelsOnALaptop) {
  window().resize(1366, 768);
  open(sample(u"gpt2_tiny"_s));
  for (const Workspace& each : workspaces()) {
    choose(QString::fromLatin1(each.id));
    QCoreApplication::processEvents();
    EXPECT_LE(shown_panels().size(), 3) << each.id << ": the graph is the fourth";
    EXPECT_FALSE(shown_panels().isEmpty()) << each.id;
    EXPECT_EQ(window().width(), 1366) << each.id;
    EXPECT_EQ(window().height(), 768) << each.id;
    EXPECT_GT(window().graph().width(), 200) << each.id;
  }
}

TEST_F(WorkspacesOfWindow, HaveKeysAndButtons) {
  open(sample(u"gpt2_tiny"_s));
  press(Qt::Key_2, Qt::ControlModifier);
  EXPECT_EQ(window().workspaces().current(), u"plan"_s);
  EXPECT_TRUE(plans().isVisible());
  click(find<QWidget>(u"workspace_overview_button"_s));
  EXPECT_EQ(window().workspaces().current(), u"overview"_s);
  EXPECT_FALSE(plans().isVisible());
  EXPECT_TRUE(find<QAction>(u"workspace_overview"_s).isChecked());
}

TEST_F(WorkspacesOfWindow, RememberTheirOwnPanels) {
  open(sample(u"gpt2_tiny"_s));
  choose(u"plan"_s);
  find<QDockWidget>(u"memory_dock"_s).close();
  choose(u"run"_s);
  EXPECT_TRUE(find<QDockWidget>(u"memory_dock"_s).isVisible());
  choose(u"plan"_s);
  EXPECT_FALSE(find<QDockWidget>(u"memory_dock"_s).isVisible());
  window().close();
  start_window();
  open(sample(u"gpt2_tiny"_s));
  EXPECT_EQ(window().workspaces().current(), u"plan"_s);
  EXPECT_TRUE(plans().isVisible());
  EXPECT_FALSE(find<QDockWidget>(u"memory_dock"_s).isVisible());
  find<QAction>(u"reset_layout"_s).trigger();
  EXPECT_TRUE(find<QDockWidget>(u"memory_dock"_s).isVisible());
}

TEST_F(WorkspacesOfWindow, PanelsOpenInAnyOfThem) {
  open(sample(u"gpt2_tiny"_s));
  choose(u"plan"_s);
  find<QAction>(u"go_to_run_dock"_s).trigger();
  EXPECT_TRUE(find<QDockWidget>(u"run_dock"_s).isVisible());
  EXPECT_TRUE(plans().isVisible());
}

TEST_F(WorkspacesOfWindow, PanelsOfOthersComeAsTabs) {
  window().resize(1366, 768);
  open(sample(u"gpt2_tiny"_s));
  choose(u"overview"_s);
  QCoreApplication::processEvents();
  const QStringList before = shown_panels();
  for (const QDockWidget* const dock : window().findChildren<QDockWidget*>()) {
    find<QAction>(u"go_to_"_s + dock->objectName()).trigger();
    QCoreApplication::processEvents();
    EXPECT_TRUE(shown_panels().contains(dock->objectName())) << dock->objectName().toStdString();
    EXPECT_EQ(shown_panels().size(), before.size()) << dock->objectName().toStdString();
    EXPECT_GT(dock->height(), 150) << dock->objectName().toStdString();
    EXPECT_EQ(window().size(), QSize(1366, 768)) << dock->objectName().toStdString();
    EXPECT_GT(window().graph().width(), 200) << dock->objectName().toStdString();
  }
  press(Qt::Key_1, Qt::ControlModifier);
  EXPECT_EQ(shown_panels(), before);
  EXPECT_GT(find<QDockWidget>(u"overview_dock"_s).height(), 300) << "less only by the tabs";
}

TEST_F(WorkspacesOfWindow, TheMenuOfPanelsOpensTabsToo) {
  window().resize(1366, 768);
  open(sample(u"gpt2_tiny"_s));
  choose(u"overview"_s);
  auto& plans_dock = find<QDockWidget>(u"plans_dock"_s);
  plans_dock.toggleViewAction()->trigger();
  QCoreApplication::processEvents();
  EXPECT_TRUE(
      window().tabifiedDockWidgets(&plans_dock).contains(&find<QDockWidget>(u"overview_dock"_s)));
  EXPECT_TRUE(shown_panels().contains(u"plans_dock"_s));
  plans_dock.toggleViewAction()->trigger();
  EXPECT_TRUE(plans_dock.isHidden());
}

TEST_F(WorkspacesOfWindow, APanelWithoutAHostHasTheWidthOfItsHome) {
  window().resize(1600, 900);
  open(sample(u"gpt2_tiny"_s));
  choose(u"overview"_s);
  find<QDockWidget>(u"overview_dock"_s).close();
  find<QAction>(u"go_to_orders_dock"_s).trigger();
  QCoreApplication::processEvents();
  EXPECT_GT(find<QDockWidget>(u"orders_dock"_s).width(), 400);
}

TEST_F(WorkspacesOfWindow, PlansHaveThePlannerBesideThem) {
  open(sample(u"gpt2_tiny"_s));
  choose(u"plan"_s);
  QCoreApplication::processEvents();
  auto& planner = find<QDockWidget>(u"planner_dock"_s);
  EXPECT_TRUE(planner.isVisible());
  EXPECT_FALSE(shown_panels().contains(u"planner_dock"_s)) << "behind the plans";
  EXPECT_TRUE(window().tabifiedDockWidgets(&planner).contains(&find<QDockWidget>(u"plans_dock"_s)));
}

TEST_F(WorkspacesOfWindow, KeepThePartOfTheGraphInView) {
  open(sample(u"gpt2_tiny"_s));
  window().resize(1600, 1000);
  choose(u"overview"_s);
  GraphView& view = window().graph().view();
  view.fit();
  view.center_on(to_qt(view.scene()->drawing().bounds.center()));
  const double before = view.camera().zoom;
  const QRectF seen = view.seen();
  choose(u"plan"_s);
  ASSERT_TRUE(comes_true([&] { return view.camera().zoom < before; }));
  EXPECT_LE(seen.width() * view.camera().zoom, view.width());
}

TEST_F(WorkspacesOfWindow, TheirHintsLeaveThePeakInTheStatusLine) {
  open(sample(u"gpt2_tiny"_s));
  for (const QAction* const each : window().findChildren<QAction*>()) {
    EXPECT_TRUE(each->statusTip().isEmpty()) << each->objectName().toStdString();
  }
}

TEST_F(WorkspacesOfWindow, TheArrangementOfAnEarlierVersionBecomesALayout) {
  open(sample(u"gpt2_tiny"_s));
  find<QDockWidget>(u"memory_dock"_s).close();
  const QByteArray earlier = window().saveState(3);
  window().close();
  QSettings().clear();
  QSettings().setValue(u"window/arrangement"_s, earlier);
  start_window();
  open(sample(u"gpt2_tiny"_s));
  EXPECT_TRUE(find<QDockWidget>(u"memory_dock"_s).isVisible());
  find<QMenu>(u"layout_menu"_s).popup({});
  find<QAction>(u"layout:Before workspaces"_s).trigger();
  EXPECT_FALSE(find<QDockWidget>(u"memory_dock"_s).isVisible());
}

TEST_F(WorkspacesOfWindow, AnArrangementWithoutANewerPanelOpens) {
  open(sample(u"gpt2_tiny"_s));
  delete window().findChild<QDockWidget*>(u"overview_dock"_s);
  find<QDockWidget>(u"memory_dock"_s).close();
  const QByteArray earlier = window().saveState(3);
  start_window();
  open(sample(u"gpt2_tiny"_s));
  EXPECT_TRUE(window().restoreState(earlier, 3));
  EXPECT_FALSE(find<QDockWidget>(u"memory_dock"_s).isVisible());
  EXPECT_TRUE(find<QDockWidget>(u"plans_dock"_s).isVisible());
}

TEST_F(WorkspacesOfWindow, ChosenBeforeAModelIsOpenTheyWait) {
  choose(u"fit"_s);
  EXPECT_TRUE(shown_panels().isEmpty());
  open(sample(u"gpt2_tiny"_s));
  EXPECT_TRUE(shown_panels().contains(u"planner_dock"_s));
  EXPECT_FALSE(shown_panels().contains(u"plans_dock"_s));
}

}  // namespace window_workspaces_test
}  // namespace stashscope::ui::test
