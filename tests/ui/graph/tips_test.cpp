// The graph's tool tips, and the overview of a picture larger than the view.

#include <QHelpEvent>
#include <QToolTip>

#include "core/study/facts/node_facts.h"
#include "tests/support/model_builder.h"
#include "tests/ui/graph/graph_test.h"
#include "ui/graph/minimap.h"
#include "ui/text/texts.h"

namespace stashscope::ui::test {
namespace tips_test {

using namespace Qt::StringLiterals;

class GraphTips : public GraphTest {
 protected:
  void SetUp() override {
    GraphTest::SetUp();
    open(sample(u"gpt2_tiny"_s));
  }

  QString tip_at(QPoint place) {
    QHelpEvent event(QEvent::ToolTip, place, view().mapToGlobal(place));
    QApplication::sendEvent(&view(), &event);
    return QToolTip::text();
  }
  NodeId first_of(const std::string& wanted) {
    return find_node(
        [&](NodeId node) { return document().study()->graph().node(node).op_type == wanted; });
  }
  Minimap& minimap() { return find<Minimap>(u"minimap"_s); }
};

TEST_F(GraphTips, ANodeTellsItsNameAndWhatItKeeps) {
  const NodeId node = find_node([this](NodeId each) {
    return maker_of_memory(*document().study(), each) == each &&
           layout::activation_path(dataflow(), grouping(), {each}).size() >= 2;
  });
  go_to(node);
  const auto& drawing = scene().drawing();
  const auto& memory = drawing.boxes[drawing.box_of[node]].memory;
  const QString tip = tip_at(place_of(node));
  EXPECT_TRUE(tip.startsWith(shown(document().study()->graph().node(node).name)))
      << tip.toStdString();
  EXPECT_TRUE(tip.contains(bytes_text(memory.bytes))) << tip.toStdString();
  EXPECT_TRUE(tip.contains(u"stashes "_s + bytes_text(memory.stashed_bytes))) << tip.toStdString();
}

TEST_F(GraphTips, ANodeWithoutANameHasItsOperatorAndItsOutput) {
  GraphData data = stashscope::test::ModelBuilder()
                       .input("x", {4})
                       .node("Relu", {"x"}, {"rectified"})
                       .output("rectified")
                       .data();
  for (Node& each : data.nodes) each.name.clear();
  LoadedModel nameless;
  nameless.session.model = "nameless.onnx";
  nameless.model = std::make_shared<const Graph>(std::move(data));
  document().open(u"nameless.onnx"_s, [nameless] { return nameless; });
  ASSERT_TRUE(comes_true([this] {
    return document().study() != nullptr && document().study()->model->nodes().size() == 1;
  }));
  ASSERT_TRUE(settles());
  go_to(NodeId(0));
  EXPECT_TRUE(tip_at(place_of(NodeId(0))).startsWith(u"Relu → rectified"_s))
      << tip_at(place_of(NodeId(0))).toStdString();
  EXPECT_EQ(view().accessibleDescription(), u"Relu → rectified"_s);
}

TEST_F(GraphTips, ANodeThatWorksInPlaceTellsWhoseMemoryItUses) {
  const NodeId node = first_of("Softmax");
  go_to(node);
  const NodeId maker = maker_of_memory(*document().study(), node);
  ASSERT_TRUE(maker.valid());
  ASSERT_NE(maker, node);
  const QString name = shown(document().study()->graph().node(maker).name);
  const QString tip = tip_at(place_of(node));
  EXPECT_TRUE(tip.contains(u"in the memory of "_s + name)) << tip.toStdString();
}

TEST_F(GraphTips, AGroupTellsHowItOpensAndEmptyGroundNothing) {
  const auto& boxes = scene().drawing().boxes;
  const auto group = std::find_if(boxes.begin(), boxes.end(),
                                  [](const auto& each) { return each.shows.group.valid(); });
  ASSERT_NE(group, boxes.end());
  const auto box = static_cast<std::uint32_t>(group - boxes.begin());
  const QString tip = tip_at(place_of_box(box));
  EXPECT_TRUE(tip.contains(u"double-click to "_s));
  EXPECT_FALSE(tip.startsWith(u'/')) << tip.toStdString();
  tip_at({1, view().height() - 1});
  EXPECT_TRUE(QTest::qWaitFor([] { return !QToolTip::isVisible(); }));
}

TEST_F(GraphTips, TheOverviewShowsWhileThePictureIsLargerThanTheViewAndAClickLeadsThere) {
  press(Qt::Key_0, Qt::ControlModifier);
  window().graph().go_to(first_of("Softmax"));
  ASSERT_TRUE(settles());
  ASSERT_TRUE(minimap().isVisible());
  const QPointF before = view().camera().to_picture(QPointF(view().rect().center()));
  QTest::mouseClick(&minimap(), Qt::LeftButton, {}, {minimap().width() / 2, 8});
  const QPointF top = view().camera().to_picture(QPointF(view().rect().center()));
  QTest::mouseClick(&minimap(), Qt::LeftButton, {},
                    {minimap().width() / 2, minimap().height() - 8});
  const QPointF bottom = view().camera().to_picture(QPointF(view().rect().center()));
  EXPECT_NE(top, before);
  EXPECT_LT(top.y(), bottom.y());
  EXPECT_NEAR(top.x(), bottom.x(), 1);
}

TEST_F(GraphTips, TheOverviewHidesWhileEverythingIsSeen) {
  view().setFocus();
  press(Qt::Key_F);
  ASSERT_TRUE(settles());
  EXPECT_FALSE(minimap().isVisible());
}

}  // namespace tips_test
}  // namespace stashscope::ui::test
