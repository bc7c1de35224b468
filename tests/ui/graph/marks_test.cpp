// The marks of groups in the graph, which open and close them.

#include "tests/ui/graph/graph_test.h"
#include "ui/graph/graph_tips.h"

namespace stashscope::ui::test {
namespace marks_test {

using namespace Qt::StringLiterals;

class GroupMarks : public GraphTest {
 protected:
  void SetUp() override {
    GraphTest::SetUp();
    open(sample(u"gpt2_tiny"_s));
    view().fit();
  }

  const layout::DrawnBox& box(std::uint32_t index) { return scene().drawing().boxes[index]; }
  bool is_open(layout::GroupId group) { return scene().picture().open.contains(group); }

  /// The first label in view that begins with a mark.
  GraphLabel label_with(const QString& mark) {
    for (const GraphLabel& label : view().texts().labels) {
      if (label.text.startsWith(mark)) return label;
    }
    throw std::runtime_error("no label with " + mark.toStdString());
  }
  void move_to(QPoint place) {
    QMouseEvent move(QEvent::MouseMove, place, view().mapToGlobal(place), Qt::NoButton,
                     Qt::NoButton, Qt::NoModifier);
    QApplication::sendEvent(&view(), &move);
  }
  static QPoint place_of_mark(const GraphLabel& label) {
    return QPointF(label.rect.left() + 3, label.rect.center().y()).toPoint();
  }
};

TEST_F(GroupMarks, AClickClosesAndOpensAGroupAndLeavesTheSelection) {
  const NodeId selected = find_node([this](NodeId node) { return is_shown(node); });
  document().selection().select_node(selected);
  const GraphLabel open_label = label_with(open_mark);
  const layout::GroupId group = box(open_label.box).shows.group;
  ASSERT_TRUE(is_open(group));
  QTest::mouseClick(&view(), Qt::LeftButton, {}, place_of_mark(open_label));
  ASSERT_TRUE(settles());
  EXPECT_FALSE(is_open(group));
  EXPECT_EQ(document().selection().node(), selected);
  for (const GraphLabel& label : view().texts().labels) {
    const bool is_it = label.kind != LabelKind::line && box(label.box).shows.group == group;
    if (!is_it) continue;
    EXPECT_TRUE(label.text.startsWith(closed_mark)) << label.text.toStdString();
    QTest::mouseClick(&view(), Qt::LeftButton, {}, place_of_mark(label));
    break;
  }
  ASSERT_TRUE(settles());
  EXPECT_TRUE(is_open(group));
}

TEST_F(GroupMarks, AClickOnTheTitleSelectsTheGroup) {
  const GraphLabel label = label_with(open_mark);
  const layout::GroupId group = box(label.box).shows.group;
  QTest::mouseClick(&view(), Qt::LeftButton, {},
                    QPointF(label.rect.right() - 2, label.rect.center().y()).toPoint());
  ASSERT_TRUE(settles());
  EXPECT_TRUE(is_open(group));
  EXPECT_FALSE(document().selection().nodes().empty());
}

TEST_F(GroupMarks, ADoubleClickOnAMarkCountsOnce) {
  const GraphLabel label = label_with(closed_mark);
  const layout::GroupId group = box(label.box).shows.group;
  QTest::mouseClick(&view(), Qt::LeftButton, {}, place_of_mark(label));
  QTest::mouseDClick(&view(), Qt::LeftButton, {}, place_of_mark(label));
  ASSERT_TRUE(settles());
  EXPECT_TRUE(is_open(group));
}

TEST_F(GroupMarks, ThePointerAndTheTipSayWhatAClickDoes) {
  view().repaint();
  const GraphLabel label = label_with(closed_mark);
  move_to(QPoint(2, 2));
  EXPECT_EQ(view().cursor().shape(), Qt::ArrowCursor);
  move_to(place_of_mark(label));
  EXPECT_EQ(view().cursor().shape(), Qt::PointingHandCursor);
  EXPECT_TRUE(tip_of_box(scene(), label.box).contains(u"click ▸"_s));
  EXPECT_TRUE(tip_of_box(scene(), label_with(open_mark).box).contains(u"click ▾"_s));
}

}  // namespace marks_test
}  // namespace stashscope::ui::test
