#include "ui/panels/overview/overview_panel.h"

#include <QComboBox>
#include <QDockWidget>

#include "tests/ui/support/window_test.h"

namespace stashscope::ui::test {
namespace overview_panel_test {

using namespace Qt::StringLiterals;

class Overview : public WindowTest {
 protected:
  void SetUp() override {
    WindowTest::SetUp();
    find<QAction>(u"workspace_overview"_s).trigger();
    open(sample(u"gpt2_tiny"_s));
  }

  IcicleView& icicle() { return find<IcicleView>(u"icicle_view"_s); }
  TableView& modules() { return find<TableView>(u"module_table"_s); }
  QString heading() { return find<QLabel>(u"overview_heading"_s).text(); }

  const IcicleBox& box_named(const QString& name) {
    for (const IcicleBox& each : icicle().boxes()) {
      if (QString::fromStdString(icicle().tree().nodes[each.node].name) == name) return each;
    }
    throw std::runtime_error("no box " + name.toStdString());
  }
  void click_box(const IcicleBox& box, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
    QTest::mouseClick(&icicle(), Qt::LeftButton, modifiers,
                      icicle().rectangle(box).center().toPoint());
  }
};

TEST_F(Overview, HoldsThePeakUntilTheCursorMoves) {
  ASSERT_TRUE(icicle().isVisible());
  EXPECT_EQ(icicle().bytes_of(0), peak());
  EXPECT_TRUE(heading().startsWith(u"At the peak"_s)) << heading().toStdString();
  document().selection().select_slot(0);
  EXPECT_EQ(icicle().bytes_of(0), document().study()->current->timeline.live_bytes[0]);
  EXPECT_TRUE(heading().startsWith(u"In slot 1:"_s)) << heading().toStdString();
}

TEST_F(Overview, AClickZoomsAndSelectsTheNodesOfTheGroup) {
  click_box(box_named(u"h.1"_s));
  EXPECT_TRUE(heading().endsWith(u"h.1"_s)) << heading().toStdString();
  const std::vector<NodeId>& nodes = document().selection().nodes();
  ASSERT_FALSE(nodes.empty());
  const Graph& graph = document().study()->graph();
  for (const NodeId node : nodes) {
    EXPECT_NE(graph.node(node).name.find("h.1"), std::string::npos) << graph.node(node).name;
  }
  click(find<QWidget>(u"overview_zoom_out"_s));
  EXPECT_FALSE(heading().endsWith(u"h.1"_s)) << heading().toStdString();
}

TEST_F(Overview, ControlAndAClickAddWithoutAZoom) {
  const std::uint32_t top = icicle().top();
  click_box(box_named(u"h.0"_s), Qt::ControlModifier);
  const std::size_t of_one = document().selection().nodes().size();
  click_box(box_named(u"h.1"_s), Qt::ControlModifier);
  EXPECT_GT(document().selection().nodes().size(), of_one);
  EXPECT_EQ(icicle().top(), top);
}

TEST_F(Overview, KeysReachEveryBox) {
  icicle().setFocus();
  press(Qt::Key_Down);
  press(Qt::Key_Right);
  press(Qt::Key_Return);
  const std::uint32_t zoomed = icicle().top();
  EXPECT_NE(zoomed, 0U);
  press(Qt::Key_Backspace);
  EXPECT_NE(icicle().top(), zoomed);
}

TEST_F(Overview, ModulesAreListedByBytesAndLeadToTheIcicle) {
  QAbstractItemModel& model = *modules().model();
  ASSERT_GT(model.rowCount(), 2);
  choose_entry(u"overview_grouping"_s, 2);
  ASSERT_TRUE(settles());
  click_cell(modules(), 1, ModuleModel::module);
  ASSERT_TRUE(settles());
  EXPECT_EQ(find<QComboBox>(u"overview_grouping"_s).currentIndex(), 0);
  EXPECT_TRUE(
      model.index(1, ModuleModel::module).data().toString().startsWith(heading().section(u' ', -1)))
      << heading().toStdString();
}

TEST_F(Overview, TheZoomStaysWhenAPlanIsTicked) {
  click_box(box_named(u"h.1"_s));
  const QString before = heading();
  Choices choices = document().choices();
  choices.plans.level = 1;
  document().choose(choices, u"level 1"_s);
  ASSERT_TRUE(settles());
  EXPECT_TRUE(heading().endsWith(u"h.1"_s)) << heading().toStdString();
  EXPECT_NE(heading(), before);
}

TEST_F(Overview, FollowsTheCursorThatMovedWhileItWasHidden) {
  find<QDockWidget>(u"overview_dock"_s).hide();
  document().selection().select_slot(0);
  find<QDockWidget>(u"overview_dock"_s).show();
  QCoreApplication::processEvents();
  ASSERT_TRUE(settles());
  EXPECT_EQ(icicle().bytes_of(0), document().study()->current->timeline.live_bytes[0]);
  EXPECT_TRUE(heading().startsWith(u"In slot 1:"_s)) << heading().toStdString();
}

TEST_F(Overview, EveryGroupingHoldsAllBytes) {
  for (const int grouping : {0, 1, 2, 3}) {
    choose_entry(u"overview_grouping"_s, grouping);
    ASSERT_TRUE(settles());
    EXPECT_EQ(static_cast<int>(icicle().tree().grouping), grouping);
    EXPECT_EQ(icicle().bytes_of(0), peak());
  }
}

}  // namespace overview_panel_test
}  // namespace stashscope::ui::test
