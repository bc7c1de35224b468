#include "core/layout/scene/drawing.h"

#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <sstream>

#include "core/base/text.h"
#include "core/recompute/forward_nodes.h"
#include "tests/core/layout/scene/drawn_step.h"
#include "tests/support/xml.h"

namespace stashscope::layout {
namespace drawing_test {

using Picture = test::DrawnStep;

/// The loss lies in the last layer and stashes nothing. The turn from forward to backward starts at
/// the last node of that layer.
test::ModelBuilder loss_in_a_layer() {
  test::ModelBuilder m;
  m.input("x", {"N", 4});
  std::string last = "x";
  for (const std::string layer : {"/h.0/", "/h.1/"}) {
    m.weight(layer + "w", {4, 4}).node("MatMul", {last, layer + "w"}, {layer + "m"});
    m.node("Tanh", {layer + "m"}, {layer + "t"})
        .node("Mul", {layer + "t", layer + "t"}, {layer + "s"});
    last = layer + "s";
  }
  m.node("ReduceMean", {last}, {"/h.1/loss"}, {{"keepdims", std::int64_t{0}}});
  return m.output("/h.1/loss");
}

std::vector<Picture> pictures() {
  std::vector<Picture> all;
  for (const bool open : {false, true}) {
    for (const int level : {0, 1}) {
      all.emplace_back(test::blocks(4), level, open);
      all.emplace_back(loss_in_a_layer(), level, open);
      for (unsigned seed = 1; seed <= 4; ++seed)
        all.emplace_back(test::random_model(seed, 50), level, open);
    }
  }
  return all;
}

bool holds(const Rect& outer, const Rect& inner) {
  return inner.x >= outer.x - 0.5 && inner.y >= outer.y - 0.5 &&
         inner.right() <= outer.right() + 0.5 && inner.bottom() <= outer.bottom() + 0.5;
}

TEST(Draw, BoxesLieInEachOtherOrApart) {
  for (const Picture& picture : pictures()) {
    const auto& boxes = picture.drawing.boxes;
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      EXPECT_TRUE(holds(picture.drawing.bounds, boxes[i].rect));
      EXPECT_TRUE(holds(picture.drawing.columns[static_cast<std::size_t>(boxes[i].shows.side)],
                        boxes[i].rect));
      for (std::size_t k = 0; k < i; ++k) {
        const bool inside = boxes[k].is_open() && holds(boxes[k].rect, boxes[i].rect);
        EXPECT_TRUE(inside || !boxes[k].rect.intersects(boxes[i].rect))
            << boxes[k].title << " and " << boxes[i].title;
      }
    }
  }
}

TEST(Draw, EveryNodeIsInTheBoxThatShowsIt) {
  for (const Picture& picture : pictures()) {
    const Dataflow& dataflow = picture.study->current->dataflow;
    const Drawing& drawing = picture.drawing;
    ASSERT_EQ(drawing.box_of.size(), dataflow.topology.nodes());
    std::vector<std::size_t> nodes(drawing.boxes.size(), 0);
    std::size_t clones = 0;
    for (const std::uint32_t box : drawing.box_of) ++nodes[box];
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      EXPECT_EQ(drawing.boxes[i].nodes, nodes[i]);
      clones += drawing.boxes[i].clones;
    }
    EXPECT_EQ(clones, dataflow.cloned_nodes.size());
    EXPECT_EQ(drawing.steps, picture.study->current->timeline.order.size());
  }
}

TEST(Draw, TheMemoryOfTheBoxesIsThatOfTheStep) {
  for (const Picture& picture : pictures()) {
    const Timeline& timeline = picture.study->current->timeline;
    NodeMemory drawn;
    for (const DrawnBox& box : picture.drawing.boxes) {
      drawn = drawn + box.memory;
      EXPECT_LE(box.heat, 1);
    }
    std::int64_t made = 0;
    for (const Buffer& buffer : timeline.buffers) made += buffer.persistent ? 0 : buffer.bytes;
    EXPECT_EQ(drawn.bytes, made);
  }
}

TEST(Draw, ABlockHoldsWhatLiesInTheOpenBox) {
  for (const Picture& picture : pictures()) {
    const Drawing& drawing = picture.drawing;
    std::vector<std::size_t> nodes(drawing.boxes.size(), 0);
    std::vector<std::int64_t> bytes(drawing.boxes.size(), 0);
    for (const NodeId node : IdRange<NodeId>(drawing.box_of.size())) {
      for (std::uint32_t box = drawing.box_of[node]; box != outside;
           box = drawing.boxes[box].parent) {
        ++nodes[box];
      }
    }
    for (std::size_t i = drawing.boxes.size(); i-- > 0;) {
      bytes[i] += drawing.boxes[i].memory.bytes;
      if (drawing.boxes[i].parent != outside) bytes[drawing.boxes[i].parent] += bytes[i];
    }
    for (std::size_t i = 0; i < drawing.boxes.size(); ++i) {
      ASSERT_EQ(drawing.boxes[i].is_open(), drawing.boxes[i].block != outside);
      if (!drawing.boxes[i].is_open()) continue;
      const DrawnBox& block = drawing.blocks[drawing.boxes[i].block];
      EXPECT_EQ(block.nodes, nodes[i]);
      EXPECT_EQ(block.memory.bytes, bytes[i]);
      EXPECT_EQ(block.title, drawing.boxes[i].title);
    }
  }
}

TEST(Draw, StashedBytesByLifetimeAndByStateAreThoseOfTheStep) {
  for (const Picture& picture : pictures()) {
    const Drawing& drawing = picture.drawing;
    std::int64_t stashed = 0;
    for (const StashedValue& stash : drawing.stashes) stashed += stash.bytes;
    std::int64_t by_lifetime = 0;
    for (const std::int64_t bytes : drawing.stashed_by_lifetime) by_lifetime += bytes;
    EXPECT_EQ(by_lifetime, stashed);
    std::int64_t without_plans = 0;
    for (const NodeStash& stash : step_view(*picture.study, picture.grouping).node_stashes) {
      without_plans += stash.bytes;
    }
    std::int64_t by_state = 0;
    for (const std::int64_t bytes : drawing.stash_by_state) by_state += bytes;
    EXPECT_EQ(by_state, without_plans);
  }
}

TEST(Draw, EdgesEndAtTheirBoxes) {
  for (const Picture& picture : pictures()) {
    for (const DrawnEdge& edge : picture.drawing.edges) {
      ASSERT_EQ(edge.curve.size() % 3, 1U);
      const auto grown = [&](std::uint32_t box) {
        const Rect& r = picture.drawing.boxes[box].rect;
        return Rect{r.x - 0.5, r.y - 0.5, r.width + 1, r.height + 1};
      };
      EXPECT_TRUE(grown(edge.from).contains(edge.curve.front()));
      EXPECT_TRUE(grown(edge.to).contains(edge.curve.back()));
      EXPECT_TRUE(holds(edge.bounds, bounds_of(edge.curve)));
    }
  }
}

TEST(Draw, StashEdgesLeadFromForwardToBackward) {
  for (const Picture& picture : pictures()) {
    const Drawing& drawing = picture.drawing;
    std::int64_t last = std::numeric_limits<std::int64_t>::max();
    for (const StashEdge& stash_edge : drawing.stash_edges) {
      EXPECT_EQ(drawing.boxes[stash_edge.from].shows.side, Side::forward);
      EXPECT_EQ(drawing.boxes[stash_edge.to].shows.side, Side::backward);
      EXPECT_LE(stash_edge.bytes, last) << "most bytes first";
      last = stash_edge.bytes;
    }
    ASSERT_FALSE(drawing.stash_edges.empty());
  }
}

TEST(Draw, AStashEdgeIsATurnWhenOnlyTheBoundaryUsesIt) {
  for (const Picture& picture : pictures()) {
    const Study& study = *picture.study;
    std::map<std::pair<std::uint32_t, std::uint32_t>, bool> is_turn;
    std::int64_t bytes = 0;
    for (const StashedValue& stash :
         stashed_values(study.current->dataflow,
                        forward_nodes(study.graph(), study.current->dataflow, *study.opportunities),
                        study.current->timeline)) {
      for (const NodeId reader : stash.readers) {
        const auto& box_of = picture.drawing.box_of;
        const auto turn = is_turn.try_emplace({box_of[stash.producer], box_of[reader]}, true).first;
        turn->second &= stash.producer == study.prepared->step.boundary.yield;
      }
    }
    ASSERT_EQ(picture.drawing.stash_edges.size(), is_turn.size());
    for (const StashEdge& stash_edge : picture.drawing.stash_edges) {
      EXPECT_EQ(stash_edge.is_turn, is_turn.at({stash_edge.from, stash_edge.to}));
      bytes += stash_edge.bytes;
    }
    EXPECT_GT(bytes, 0);
  }
}

TEST(Draw, AStepOfNothingIsAnEmptyPicture) {
  test::ModelBuilder m;
  m.input("x", {"N"}).output("x");
  const Picture picture(m, 0, true);
  EXPECT_TRUE(picture.drawing.boxes.empty());
  EXPECT_EQ(test::xml_fault(to_svg(picture.drawing, "empty")), "");
}

TEST(BoxAt, FindsTheInnermostBox) {
  const Picture picture(test::blocks(2), 0, true);
  const Drawing& drawing = picture.drawing;
  for (std::size_t i = 0; i < drawing.boxes.size(); ++i) {
    const Rect& rect = drawing.boxes[i].rect;
    EXPECT_EQ(box_at(drawing, {rect.x + 1, rect.y + 1}), i);
  }
  EXPECT_FALSE(box_at(drawing, {-1000, -1000}));
}

TEST(Svg, IsWellFormed) {
  for (const Picture& picture : pictures()) {
    EXPECT_EQ(test::xml_fault(to_svg(picture.drawing, "a model")), "");
  }
}

TEST(Svg, StaysWellFormedWithHostileNames) {
  const std::vector<std::string> names = {"</text><script>alert(1)</script>",
                                          "\"><g onload=\"x",
                                          "&amp",
                                          "&#0;",
                                          "]]>",
                                          std::string("nul\0byte", 8),
                                          "\x01\x1b[31m",
                                          "\xff\xfe\xc0\x80",
                                          "\xed\xa0\x80",
                                          "\xEF\xBF\xBE",
                                          "\xEF\xBF\xBF",
                                          "日本語の名前がとても長いので切られなければならない",
                                          "\u202Eesrever",
                                          "'single'",
                                          "<!--",
                                          "<![CDATA["};
  for (const std::string& name : names) {
    test::ModelBuilder m;
    m.input("x", {"N", 4});
    std::string last = "x";
    for (int i = 0; i < 8; ++i) {
      const std::string made = "/" + name + "." + std::to_string(i / 4) + "/" + std::to_string(i);
      m.node("Tanh", {last}, {made});
      last = made;
    }
    m.node(name, {last}, {"y"}, {}, "custom").output("y");
    for (const bool open : {false, true}) {
      const Picture picture(m, 0, open);
      const std::string svg = to_svg(picture.drawing, name);
      EXPECT_EQ(test::xml_fault(svg), "") << name;
      EXPECT_EQ(svg.find("<script"), std::string::npos);
    }
  }
}

std::size_t count_of(const std::string& text, const std::string& svg) {
  std::size_t found = 0;
  for (std::size_t at = svg.find(text); at != std::string::npos; at = svg.find(text, at + 1)) {
    ++found;
  }
  return found;
}

TEST(Svg, SaysWhatAGroupStashesInAShorterFormInsteadOfCutting) {
  Drawing drawing;
  DrawnBox box;
  box.title = "layer";
  box.detail = "42 nodes · stashes 711.25 MiB";
  for (const double width : {260, 196, 140}) {
    box.rect = {0, 0, width, 42};
    drawing.boxes.push_back(box);
  }
  const std::string svg = to_svg(drawing, "");
  EXPECT_EQ(count_of(">42 nodes · stashes 711.25 MiB</text>", svg), 2U);
  EXPECT_EQ(count_of(">stashes 711.25 MiB</text>", svg), 1U);
  EXPECT_EQ(svg.find("…"), std::string::npos);
}

TEST(Svg, HasRoomForALongTitle) {
  const auto width_with = [](const std::string& title) {
    const std::string svg = to_svg(Drawing(), title);
    double x = 0;
    double y = 0;
    double width = 0;
    std::istringstream(svg.substr(svg.find("viewBox=\"") + 9)) >> x >> y >> width;
    return width;
  };
  EXPECT_EQ(width_with("m: peak 1 GiB"), width_with(""));
  EXPECT_GT(width_with(std::string(120, 'm') + ": peak 1 GiB"), 120 * 12);
}

TEST(Svg, NamesTheColumnsAboveThem) {
  const test::DrawnStep step(test::blocks(2), 1, true);
  const std::string svg = to_svg(step.drawing, "");
  EXPECT_NE(svg.find(">Forward ↓</text>"), std::string::npos);
  EXPECT_NE(svg.find(">Backward ↑</text>"), std::string::npos);
}

TEST(Svg, HasAnArrowHeadAtTheEndOfEachEdge) {
  const test::DrawnStep step(test::blocks(2), 0, true);
  const std::string svg = to_svg(step.drawing, "");
  EXPECT_EQ(count_of("class=\"head\"", svg), step.drawing.edges.size());
  Drawing one;
  one.boxes.resize(1);
  one.edges.push_back({{{0, 0}, {0, 10}, {0, 20}, {0, 30}}, {0, 0, 0, 30}, 0, 0, 1});
  EXPECT_NE(to_svg(one, "").find("points=\"0.0,30.0 -2.5,24.0 2.5,24.0\""), std::string::npos)
      << to_svg(one, "");
}

TEST(Svg, WithAFocusShowsWhatIsInTheFrameAndFadesWhatIsNotClear) {
  const test::DrawnStep step(test::blocks(4), 0, true);
  const NodeId node = step.node("/model/h.1/Add");
  const DrawingPart near = part_with(step.drawing, nodes_near(step.dataflow().topology, {node}, 1));
  std::vector<bool> selected(step.drawing.boxes.size(), false);
  selected[step.drawing.box_of[node]] = true;
  const Rect frame = *bounds_of(step.drawing, near);
  const std::string whole = to_svg(step.drawing, "");
  const std::string svg =
      to_svg(step.drawing, "", Colouring::lifetime, SvgFocus{frame, near, selected});
  EXPECT_EQ(test::xml_fault(svg), "");
  EXPECT_EQ(count_of("class=\"selected\"", svg), 1U);
  EXPECT_GT(count_of("class=\"edge strong\"", svg), 1U);
  EXPECT_EQ(count_of("opacity=\"0.3\"", whole), 0U);
  std::size_t clear = 0;
  std::size_t in_frame = 0;
  for (std::size_t i = 0; i < step.drawing.boxes.size(); ++i) {
    if (step.drawing.boxes[i].is_open()) continue;
    clear += near.boxes[i] ? 1 : 0;
    in_frame += step.drawing.boxes[i].rect.intersects(grown(frame, 32)) ? 1 : 0;
  }
  EXPECT_LT(in_frame, step.drawing.boxes.size() / 2);
  EXPECT_EQ(count_of("<g><title>", svg), clear);
  EXPECT_EQ(count_of("<g opacity=\"0.3\"><title>", svg), in_frame - clear);
  EXPECT_NE(svg.find("viewBox=\"" + format_fixed(frame.x - 32, 1)), std::string::npos);
}

TEST(Svg, DoesNotCutCharactersInTwo) {
  Drawing drawing;
  for (int width = 1; width < 120; ++width) {
    DrawnBox box;
    box.rect = {0, 0, static_cast<double>(width), 20};
    box.title = "日本語日本語日本語";
    drawing.boxes.push_back(box);
  }
  const std::string svg = to_svg(drawing, "");
  EXPECT_EQ(svg.find("\\x"), std::string::npos);
  EXPECT_EQ(test::xml_fault(svg), "");
}

TEST(XmlCheck, FindsFaults) {
  for (const char* bad :
       {"", "<a>", "<a></b>", "<a/><b/>", "<a b=c/>", "<a b=\"1\" b=\"2\"/>", "<a>&</a>",
        "<a b=\"<\"/>", "text", "<a>\x01</a>", "<a b=\"1\"c=\"2\"/>", "<a>\xEF\xBF\xBF</a>"}) {
    EXPECT_NE(test::xml_fault(bad), "") << bad;
  }
  EXPECT_EQ(test::xml_fault("<a b=\"1\" c=\"&lt;\">t<d/>&amp;</a>\n"), "");
}

}  // namespace drawing_test
}  // namespace stashscope::layout
