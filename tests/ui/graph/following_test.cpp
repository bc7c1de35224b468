// Walks from node to node along tensors, and the path of an activation from forward to backward.

#include <QClipboard>

#include "tests/ui/graph/graph_test.h"

namespace stashscope::ui::test {
namespace following_test {

using namespace Qt::StringLiterals;

class Following : public GraphTest {
 protected:
  void SetUp() override {
    GraphTest::SetUp();
    open(sample(u"gpt2_tiny"_s));
  }

  NodeId with_one_input() {
    return find_node([this](NodeId node) { return makers(node).size() == 1; });
  }
  NodeId with_inputs() {
    return find_node([this](NodeId node) { return makers(node).size() >= 2; });
  }
  NodeId with_readers() {
    return find_node([this](NodeId node) { return readers(node).size() >= 2; });
  }
  /// A bundle between two boxes, and a point on it that no other curve crosses.
  std::uint32_t clear_bundle(QPoint& place) {
    const auto& bundles = scene().shown().bundles;
    for (std::uint32_t i = 0; i < bundles.size(); ++i) {
      for (double t = 0.1; t < 1; t += 0.05) {
        const layout::Point on = layout::point_on(bundles[i].curve.data(), t);
        place = view().camera().to_screen(to_qt(on)).toPoint();
        if (!view().rect().adjusted(8, 40, -8, -8).contains(place)) continue;
        if (view().childAt(place) != nullptr || layout::box_at(scene().drawing(), on)) continue;
        if (layout::bundle_at(scene().shown(), on, 20) == i) return i;
      }
    }
    throw std::runtime_error("no bundle can be clicked");
  }
};

TEST_F(Following, AltUpSelectsTheOnlyInputAndOpensWhatHidesIt) {
  const NodeId node = with_one_input();
  const NodeId maker = makers(node).front().node;
  document().selection().select_node(node);
  view().setFocus();
  press(Qt::Key_Up, Qt::AltModifier);
  ASSERT_TRUE(settles());
  EXPECT_EQ(document().selection().node(), maker);
  EXPECT_TRUE(is_shown(maker));
  EXPECT_TRUE(view().rect().contains(place_of(maker)));
}

TEST_F(Following, WithSeveralInputsAMenuAsksWhich) {
  const NodeId node = with_inputs();
  go_to(node);
  const auto all = makers(node);
  press(Qt::Key_Up, Qt::AltModifier);
  auto& menu = find<QMenu>(u"follow_input_menu"_s);
  ASSERT_TRUE(menu.isVisible());
  EXPECT_EQ(menu.actions().size(), static_cast<qsizetype>(all.size()));
  QTest::keyClick(&menu, Qt::Key_Down);
  QTest::keyClick(&menu, Qt::Key_Return);
  ASSERT_TRUE(settles());
  EXPECT_EQ(document().selection().node(), all[1].node);
}

TEST_F(Following, AltDownLeadsToAReader) {
  const NodeId node = with_readers();
  go_to(node);
  const auto all = readers(node);
  press(Qt::Key_Down, Qt::AltModifier);
  auto& menu = find<QMenu>(u"follow_output_menu"_s);
  QTest::keyClick(&menu, Qt::Key_Return);
  ASSERT_TRUE(settles());
  EXPECT_EQ(document().selection().node(), all[0].node);
}

TEST_F(Following, AnOutputByTheMouse) {
  const NodeId node = with_readers();
  go_to(node);
  QMenu& menu = menu_at(place_of(node));
  QMenu* const outputs = menu.findChild<QMenu*>(u"follow_output_menu"_s);
  ASSERT_NE(outputs, nullptr);
  choose(menu, u"follow_output_menu"_s);
  ASSERT_TRUE(comes_true([&] { return outputs->isVisible(); }));
  QTest::mouseClick(outputs, Qt::LeftButton, {},
                    outputs->actionGeometry(outputs->actions().back()).center());
  ASSERT_TRUE(settles());
  EXPECT_EQ(document().selection().node(), readers(node).back().node);
}

TEST_F(Following, WhereNothingComesBeforeThatIsSaid) {
  const NodeId first = find_node([this](NodeId node) { return makers(node).empty(); });
  go_to(first);
  press(Qt::Key_Up, Qt::AltModifier);
  EXPECT_EQ(document().selection().node(), first);
  EXPECT_TRUE(view().notice().contains(u"The selection has no predecessor"_s));
  press(Qt::Key_Down, Qt::AltModifier);
  ASSERT_TRUE(settles());
}

TEST_F(Following, TheStashPathOfANodeByItsKey) {
  const auto path_of = [this](NodeId node) {
    return layout::activation_path(dataflow(), grouping(), {node});
  };
  const NodeId maker = find_node([&](NodeId node) { return path_of(node).size() >= 2; });
  go_to(maker);
  press(Qt::Key_P);
  EXPECT_EQ(document().selection().nodes(), path_of(maker));
  EXPECT_EQ(document().selection().slot(), document().selection().slot_of(maker));
  std::size_t strong = 0;
  for (std::size_t i = 0; i < scene().drawing().stash_edges.size(); ++i) {
    if (scene().stash_edge_strength(i) == Strength::strong) ++strong;
  }
  EXPECT_GE(strong, 1U);
  for (const NodeId node : document().selection().nodes()) {
    EXPECT_NE(scene().marks()[scene().drawing().box_of[node]], Mark::none);
  }
}

TEST_F(Following, TheStashPathByTheMenu) {
  const auto& stashes = scene().drawing().stashes;
  ASSERT_FALSE(stashes.empty());
  const NodeId maker = stashes.front().producer;
  go_to(maker);
  choose(menu_at(place_of(maker)), u"stash_path"_s);
  EXPECT_GE(document().selection().nodes().size(), 2U);
  EXPECT_TRUE(document().selection().title().startsWith(u"Stash path of"_s));
}

TEST_F(Following, AClickOnAStashCurveSelectsWhatIsOnIt) {
  QPoint place;
  const layout::StashBundle bundle = scene().shown().bundles[clear_bundle(place)];
  QTest::mouseClick(&view(), Qt::LeftButton, {}, place);
  EXPECT_EQ(document().selection().nodes(), layout::nodes_of_bundle(scene().drawing(), bundle));
  EXPECT_EQ(scene().bundle_strength(bundle), Strength::strong);
  EXPECT_NE(scene().marks()[bundle.from], Mark::none);
  EXPECT_NE(scene().marks()[bundle.to], Mark::none);
}

TEST_F(Following, TheNameIsCopied) {
  const NodeId node = with_inputs();
  go_to(node);
  press(Qt::Key_C, Qt::ControlModifier);
  EXPECT_EQ(QApplication::clipboard()->text().toStdString(),
            name_of(document().study()->graph(), dataflow(), node));
}

TEST_F(Following, TheMenuOpensAndClosesGroups) {
  document().selection().clear();
  std::uint32_t closed = 0;
  const auto& boxes = scene().drawing().boxes;
  while (boxes[closed].is_open() || !boxes[closed].shows.group.valid()) ++closed;
  const layout::GroupId group = boxes[closed].shows.group;
  choose(menu_at(place_of_box(closed)), u"toggle_group"_s);
  ASSERT_TRUE(settles());
  EXPECT_TRUE(scene().picture().open.contains(group));
  choose(menu_by_key(), u"toggle_group"_s);
  ASSERT_TRUE(settles());
  EXPECT_FALSE(scene().picture().open.contains(group));
}

TEST_F(Following, WhyThereIsNoPlanIsSaid) {
  const auto& obstacles = document().study()->opportunities->obstacles;
  ASSERT_FALSE(obstacles.empty());
  go_to(obstacles.front().entry);
  find<QWidget>(u"inspector_dock"_s).hide();
  press(Qt::Key_W);
  EXPECT_TRUE(view().notice().contains(QString::fromStdString(obstacles.front().rule)))
      << view().notice().toStdString();
  EXPECT_TRUE(find<QWidget>(u"inspector_dock"_s).isVisible());
  press(Qt::Key_Down);
  EXPECT_EQ(view().notice(), u""_s) << "it goes with the selection";
}

}  // namespace following_test
}  // namespace stashscope::ui::test
