// Colours and isolation of the graph.

#include <QComboBox>
#include <QDockWidget>
#include <QSettings>

#include "core/study/edits/edits.h"
#include "tests/ui/graph/graph_test.h"
#include "ui/text/texts.h"
#include "ui/theme/text_size.h"

namespace stashscope::ui::test {
namespace looks_test {

using namespace Qt::StringLiterals;

class Looks : public GraphTest {
 protected:
  void SetUp() override {
    QSettings().remove(u"graph/colours"_s);
    GraphTest::SetUp();
    open(sample(u"gpt2_tiny"_s));
  }

  QComboBox& colours() { return find<QComboBox>(u"graph_colours"_s); }
  const LegendContent& legend() { return find<Legend>(u"graph_legend"_s).content(); }
  std::vector<std::optional<QColor>> all_colours() {
    std::vector<std::optional<QColor>> all;
    for (std::size_t i = 0; i < scene().drawing().boxes.size(); ++i) {
      all.push_back(scene().colour(i));
    }
    return all;
  }
  std::size_t faded_boxes() {
    std::size_t count = 0;
    for (std::size_t i = 0; i < scene().drawing().boxes.size(); ++i) {
      if (scene().is_faded(i)) ++count;
    }
    return count;
  }
};

TEST_F(Looks, EveryColouringByTheKeyboardWithItsLegend) {
  const auto lifetimes = all_colours();
  EXPECT_EQ(legend().first, u"stashed bytes by lifetime, from 1 slot"_s);
  choose_entry(u"graph_colours"_s, 1);
  const auto bytes = all_colours();
  EXPECT_NE(bytes, lifetimes);
  EXPECT_TRUE(legend().last.endsWith(u"iB"_s)) << legend().last.toStdString();
  choose_entry(u"graph_colours"_s, 2);
  EXPECT_EQ(legend().states.size(), 4U);
  EXPECT_TRUE(legend().first.isEmpty());
  choose_entry(u"graph_colours"_s, 3);
  EXPECT_NE(all_colours(), bytes);
  EXPECT_TRUE(legend().last.endsWith(u"s"_s)) << legend().last.toStdString();
  EXPECT_FALSE(find<Legend>(u"graph_legend"_s).accessibleDescription().isEmpty());
}

TEST_F(Looks, TheLegendHasTheStashedBytesOfEachColour) {
  const layout::Drawing& drawing = scene().drawing();
  ASSERT_EQ(legend().parts.size(), layout::lifetime_classes);
  for (std::size_t i = 0; i < layout::lifetime_classes; ++i) {
    EXPECT_EQ(legend().parts[i].bytes, bytes_text(drawing.stashed_by_lifetime[i]));
  }
  EXPECT_TRUE(find<Legend>(u"graph_legend"_s)
                  .accessibleDescription()
                  .contains(bytes_text(drawing.stashed_by_lifetime.back()) + u" stashed"_s));
  choose_entry(u"graph_colours"_s, 2);
  const auto plannable = static_cast<std::size_t>(StashState::plannable);
  EXPECT_TRUE(legend().states[1].second.endsWith(bytes_text(drawing.stash_by_state[plannable])))
      << legend().states[1].second.toStdString();
}

TEST_F(Looks, ThePeakViewFadesWhatIsNotAliveAtTheCursor) {
  const auto expect_faded_but_alive = [this] {
    const Timeline& timeline = document().study()->current->timeline;
    const auto alive = layout::nodes_alive_at(dataflow(), timeline, document().selection().slot());
    const auto part = layout::part_with(scene().drawing(), alive);
    for (std::size_t i = 0; i < part.boxes.size(); ++i) {
      EXPECT_EQ(scene().is_faded(i), !part.boxes[i]) << scene().drawing().boxes[i].title;
    }
  };
  view().setFocus();
  press(Qt::Key_A);
  EXPECT_EQ(document().selection().slot(), document().study()->current->timeline.peak_slot);
  expect_faded_but_alive();
  EXPECT_GT(faded_boxes(), 0U);
  document().selection().select_slot(3);
  expect_faded_but_alive();
  choose_entry(u"level"_s, 1);
  ASSERT_TRUE(settles());
  expect_faded_but_alive();
  click(find<QWidget>(u"peak_view_button"_s));
  EXPECT_EQ(faded_boxes(), 0U);
}

TEST_F(Looks, TheColouringIsRemembered) {
  choose_entry(u"graph_colours"_s, 2);
  start_window();
  EXPECT_EQ(colours().currentIndex(), 2);
  open(sample(u"lenet"_s));
  EXPECT_EQ(scene().colouring(), layout::Colouring::stash);
  EXPECT_EQ(legend().states.size(), 4U);
}

TEST_F(Looks, TheRecomputeStateFollowsThePlans) {
  choose_entry(u"graph_colours"_s, 2);
  const QColor freed = to_qt(layout::stash_colour(StashState::freed));
  const auto freed_boxes = [&] {
    const auto all = all_colours();
    return std::count(all.begin(), all.end(), std::optional(freed));
  };
  EXPECT_EQ(freed_boxes(), 0);
  choose_entry(u"level"_s, 1);
  ASSERT_TRUE(settles());
  EXPECT_GT(freed_boxes(), 0);
}

TEST_F(Looks, ShortNamesAreReadableAsLongAsLongOnes) {
  const auto painted = [this](NodeId node) {
    const layout::Rect& rect = scene().drawing().boxes[scene().drawing().box_of[node]].rect;
    const QRectF seen = view().camera().to_screen(to_qt(rect));
    const QImage picture = view().grab(seen.toAlignedRect()).toImage();
    const QColor ground = picture.pixelColor(picture.width() - 4, picture.height() / 2);
    int marks = 0;
    for (int x = picture.width() / 3; x < picture.width() - 4; ++x) {
      for (int y = 3; y < picture.height() - 3; ++y) {
        if (std::abs(picture.pixelColor(x, y).lightness() - ground.lightness()) > 60) ++marks;
      }
    }
    return marks > 0;
  };
  const NodeId node = find_node(
      [this](NodeId each) { return document().study()->graph().node(each).op_type == "Mul"; });
  go_to(node);
  const auto height = [&] {
    return scene().drawing().boxes[scene().drawing().box_of[node]].rect.height *
           view().camera().zoom;
  };
  for (; height() >= 9; view().zoom_by(0.96)) EXPECT_TRUE(painted(node)) << height();
}

TEST_F(Looks, IsolationFadesTheRestUntilEscape) {
  go_to(find_node([this](NodeId node) { return makers(node).size() >= 2; }));
  EXPECT_EQ(faded_boxes(), 0U);
  press(Qt::Key_I);
  const std::size_t one = faded_boxes();
  EXPECT_GT(one, 0U);
  EXPECT_FALSE(scene().is_faded(scene().drawing().box_of[document().selection().node()]));
  EXPECT_TRUE(view().notice().contains(u"Isolated to a distance of 1:"_s))
      << view().notice().toStdString();
  press(Qt::Key_I, Qt::ShiftModifier);
  EXPECT_LT(faded_boxes(), one);
  EXPECT_TRUE(view().notice().contains(u"Isolated to a distance of 2:"_s));
  press(Qt::Key_Escape);
  EXPECT_EQ(faded_boxes(), 0U);
  EXPECT_EQ(view().notice(), u""_s);
}

TEST_F(Looks, IsolationFollowsTheSelection) {
  const NodeId first = find_node([this](NodeId node) { return makers(node).size() >= 2; });
  go_to(first);
  choose(menu_at(place_of(first)), u"isolate"_s);
  ASSERT_EQ(view().isolation(), 1);
  const NodeId last(dataflow().graph_nodes - 1);
  document().selection().select_node(last);
  EXPECT_FALSE(scene().is_faded(scene().drawing().box_of[last]));
  document().selection().clear();
  EXPECT_EQ(faded_boxes(), 0U);
  EXPECT_TRUE(view().notice().contains(u"select something"_s));
  choose(menu_by_key(), u"fit_graph"_s);
  press(Qt::Key_I);
  EXPECT_FALSE(view().isolation());
}

TEST_F(Looks, WhatIsRevealedMovesNoFurtherThanNeeded) {
  const QRectF comfortable = view().rect().toRectF().adjusted(32, 32, -32, -32);
  const auto on_screen = [this](NodeId node) {
    const auto& drawing = scene().drawing();
    return view().camera().to_screen(to_qt(drawing.boxes[drawing.box_of[node]].rect));
  };
  const NodeId below = find_node([&](NodeId node) {
    const QRectF box = on_screen(node);
    return box.bottom() > comfortable.bottom() && box.left() > comfortable.left() &&
           box.right() < comfortable.right();
  });
  const double left = on_screen(below).left();
  document().selection().select_node(below);
  EXPECT_TRUE(comfortable.contains(on_screen(below)));
  EXPECT_NEAR(on_screen(below).left(), left, 1e-6) << "both columns stay in view";
}

TEST_F(Looks, TheOverviewGrowsWithTheText) {
  for (QDockWidget* const dock : window().findChildren<QDockWidget*>()) dock->close();
  QCoreApplication::processEvents();
  auto& overview = find<QWidget>(u"minimap"_s);
  const int width = overview.width();
  const int legend = find<QWidget>(u"graph_legend"_s).sizeHint().height();
  apply_text_size(*qApp, 150);
  EXPECT_NEAR(overview.width() - 12, 1.5 * (width - 12), 3);
  EXPECT_GT(find<QWidget>(u"graph_legend"_s).sizeHint().height(), legend);
  apply_text_size(*qApp, 100);
  EXPECT_NEAR(overview.width(), width, 1);
}

}  // namespace looks_test
}  // namespace stashscope::ui::test
