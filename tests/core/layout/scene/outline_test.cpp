#include "core/layout/scene/outline.h"

#include <gtest/gtest.h>

#include "core/layout/svg/svg.h"
#include "core/report/graph_picture.h"
#include "tests/support/named_model.h"

namespace stashscope::layout {
namespace outline_test {

/// A study with its grouping, and outlines of its current step.
struct Step {
  explicit Step(const test::ModelBuilder& model, int level = 0)
      : study(test::study_of(test::named(model), level)), grouping(grouping_of(*study)) {}

  Outline outline(const OpenGroups& open, std::size_t limit = most_boxes) const {
    return make_outline(study->current->dataflow, grouping, open, limit);
  }
  OpenGroups all_groups() const {
    OpenGroups all;
    for (const GroupId id : IdRange<GroupId>(grouping.groups.size())) all.insert(id);
    return all;
  }
  GroupId group(const std::string& label) const {
    for (const GroupId id : IdRange<GroupId>(grouping.groups.size())) {
      if (grouping.groups[id].label == label) return id;
    }
    return {};
  }
  NodeId node(const std::string& name) const { return *study->graph().find_node(name); }

  std::shared_ptr<const Study> study;
  Grouping grouping;
};

bool lies_in(const Grouping& grouping, GroupId inner, GroupId outer) {
  while (inner.valid() && inner != outer) inner = grouping.groups[inner].parent;
  return inner.valid();
}

/// Checks that `spot_of` of every node is the box that shows it.
void expect_spots(const Step& step, const Outline& outline) {
  const Dataflow& dataflow = step.study->current->dataflow;
  ASSERT_EQ(outline.spot_of.size(), dataflow.topology.nodes());
  for (const NodeId node : IdRange<NodeId>(outline.spot_of.size())) {
    const Spot spot = outline.spot_of[node];
    const Side side = side_of(dataflow, step.grouping, node);
    ASSERT_LT(spot.level, outline.levels.size());
    const auto& boxes = outline.levels[spot.level].column(side).boxes;
    ASSERT_LT(spot.box, boxes.size());
    const OutlineBox& box = boxes[spot.box];
    EXPECT_EQ(box.side, side);
    EXPECT_EQ(box.inner, no_level) << "an open box shows its content instead";
    if (box.node.valid()) {
      EXPECT_EQ(box.node, node);
    } else {
      EXPECT_TRUE(lies_in(step.grouping, step.grouping.group_of[dataflow.origin(node)], box.group));
    }
  }
}

void expect_levels(const Outline& outline) {
  std::size_t boxes = 0;
  for (std::size_t i = 0; i < outline.levels.size(); ++i) {
    const OutlineLevel& level = outline.levels[i];
    for (const Side side : {Side::forward, Side::backward}) {
      const OutlineColumn& column = level.column(side);
      boxes += column.boxes.size();
      ASSERT_EQ(column.tensors.size(), column.edges.size());
      std::set<std::pair<std::uint32_t, std::uint32_t>> pairs;
      for (std::size_t k = 0; k < column.edges.size(); ++k) {
        const auto [from, to] = column.edges[k];
        EXPECT_TRUE(pairs.emplace(from, to).second) << "the same edge twice";
        EXPECT_NE(from, to);
        EXPECT_TRUE(from < column.boxes.size() || from == outside);
        EXPECT_TRUE(to < column.boxes.size() || to == outside);
        EXPECT_GE(column.tensors[k], 1U);
        const bool is_root = i + 1 == outline.levels.size();
        EXPECT_FALSE(is_root && (from == outside || to == outside));
      }
      for (const OutlineBox& box : column.boxes)
        EXPECT_TRUE(box.inner == no_level || box.inner < i);
    }
    for (const LayoutEdge& pair : level.partners) {
      EXPECT_LT(pair.from, level.column(Side::forward).boxes.size());
      EXPECT_LT(pair.to, level.column(Side::backward).boxes.size());
    }
  }
  EXPECT_EQ(boxes, outline.boxes);
}

TEST(Outline, ClosedGroupsAreOneBoxOnEachSide) {
  const Step step(test::blocks(3));
  const Outline outline = step.outline({step.grouping.root()});
  expect_levels(outline);
  expect_spots(step, outline);
  ASSERT_EQ(outline.levels.size(), 1U);
  std::vector<std::string> titles;
  for (const OutlineBox& box : outline.levels[0].column(Side::forward).boxes) {
    titles.push_back(
        title_of(box, step.study->graph(), step.study->current->dataflow, step.grouping));
  }
  const std::vector<std::string> layers(titles.begin(), titles.begin() + 3);
  EXPECT_EQ(layers, (std::vector<std::string>{"h.0", "h.1", "h.2"}));
  std::size_t group_partners = 0;
  for (const LayoutEdge& pair : outline.levels[0].partners) {
    const OutlineBox& forward = outline.levels[0].column(Side::forward).boxes[pair.from];
    const OutlineBox& backward = outline.levels[0].column(Side::backward).boxes[pair.to];
    EXPECT_EQ(forward.group, backward.group);
    if (forward.group.valid()) ++group_partners;
  }
  EXPECT_EQ(group_partners, 3U);
}

TEST(Outline, EdgesBetweenClosedGroupsAreMergedAndCounted) {
  const Step step(test::blocks(3));
  const Outline outline = step.outline({});
  const OutlineColumn& column = outline.levels[0].column(Side::forward);
  const LayoutEdge first = {0, 1};
  const auto edge = std::find(column.edges.begin(), column.edges.end(), first);
  ASSERT_NE(edge, column.edges.end());
  EXPECT_EQ(column.tensors[static_cast<std::size_t>(edge - column.edges.begin())], 1U)
      << "h.0's result is read twice in h.1 but is one tensor";
}

TEST(Outline, EdgesCrossTheBordersOfOpenGroups) {
  const Step step(test::blocks(2));
  const GroupId first = step.group("h.0");
  const Outline outline = step.outline({step.grouping.root(), first});
  expect_levels(outline);
  expect_spots(step, outline);
  ASSERT_EQ(outline.levels.size(), 2U);
  EXPECT_EQ(outline.levels[0].group, first);
  const Spot result = outline.spot_of[step.node("/model/h.0/Add_1")];
  const auto& edges = outline.levels[0].column(Side::forward).edges;
  EXPECT_EQ(std::count(edges.begin(), edges.end(), LayoutEdge{result.box, outside}), 1);
  EXPECT_TRUE(std::none_of(edges.begin(), edges.end(), [](const LayoutEdge& edge) {
    return edge.from == outside;
  })) << "nothing comes before the first layer";
}

TEST(Outline, AGroupInAClosedOneStaysClosed) {
  const Step step(test::blocks(2));
  const Outline outline = step.outline({step.grouping.root(), step.group("attn")});
  EXPECT_EQ(outline.levels.size(), 1U);
  EXPECT_EQ(outline.kept_closed, 0U);
}

TEST(Outline, TheLimitKeepsInnerGroupsClosed) {
  const Step step(test::blocks(8));
  const std::size_t all = step.outline(step.all_groups()).boxes;
  for (std::size_t limit = 0; limit < all; limit += 7) {
    const Outline outline = step.outline(step.all_groups(), limit);
    expect_levels(outline);
    expect_spots(step, outline);
    EXPECT_LE(outline.boxes, std::max(limit, step.outline({}).boxes));
    EXPECT_GT(outline.kept_closed, 0U) << limit;
  }
  EXPECT_EQ(step.outline(step.all_groups(), all).kept_closed, 0U);
}

TEST(Outline, ClonesStandInBackwardBeforeTheirReaders) {
  const Step step(test::blocks(3), 1);
  const Dataflow& dataflow = step.study->current->dataflow;
  ASSERT_FALSE(dataflow.cloned_nodes.empty());
  const Outline outline = step.outline(step.all_groups());
  expect_levels(outline);
  expect_spots(step, outline);
  for (std::size_t i = 0; i < dataflow.cloned_nodes.size(); ++i) {
    const NodeId clone(dataflow.graph_nodes + i);
    const Spot spot = outline.spot_of[clone];
    EXPECT_EQ(side_of(dataflow, step.grouping, clone), Side::backward);
    for (const ValueId output : dataflow.topology.outputs[clone]) {
      for (const NodeId reader : dataflow.topology.readers[output]) {
        const Spot read = outline.spot_of[reader];
        if (read.level == spot.level) {
          EXPECT_LT(spot.box, read.box);
        }
      }
    }
  }
}

/// The edges for a tensor, joined over all levels, lead from its producer's box to its reader's
/// box.
TEST(Outline, EveryTensorOfOneSideIsDrawn) {
  for (unsigned seed = 1; seed <= 15; ++seed) {
    const Step step(test::random_model(seed, 60), seed % 2 == 0 ? 1 : 0);
    const Topology& topology = step.study->current->dataflow.topology;
    const Outline outline = step.outline(step.all_groups());
    expect_levels(outline);
    expect_spots(step, outline);
    for (const ValueId value : IdRange<ValueId>(topology.values())) {
      const NodeId producer = topology.producer[value];
      if (!producer.valid()) continue;
      const Side side = side_of(step.study->current->dataflow, step.grouping, producer);
      for (const NodeId reader : topology.readers[value]) {
        if (side_of(step.study->current->dataflow, step.grouping, reader) != side) continue;
        const Spot from = outline.spot_of[producer];
        const Spot to = outline.spot_of[reader];
        const auto leads = [&](std::uint32_t level, bool out, std::uint32_t box, bool exact) {
          const auto& edges = outline.levels[level].column(side).edges;
          return std::any_of(edges.begin(), edges.end(), [&](const LayoutEdge& edge) {
            return (out ? edge.from : edge.to) == box &&
                   (!exact || (edge.from == from.box && edge.to == to.box));
          });
        };
        EXPECT_TRUE(leads(from.level, true, from.box, from.level == to.level)) << seed;
        EXPECT_TRUE(leads(to.level, false, to.box, from.level == to.level)) << seed;
      }
    }
    if (testing::Test::HasFailure()) FAIL() << "seed " << seed;
  }
}

TEST(MakeRequest, EqualPicturesHaveEqualRequests) {
  const Step step(test::blocks(2));
  const auto request = [&](double factor) {
    const Outline outline = step.outline(step.all_groups());
    return make_request(
        outline, step.study->graph(), step.study->current->dataflow, step.grouping,
        [&](std::string_view text) { return factor * static_cast<double>(text.size()); });
  };
  const LayoutRequest small = request(7);
  const LayoutRequest huge = request(1e6);
  ASSERT_EQ(small.levels.size(), huge.levels.size());
  for (const LayoutLevel& level : huge.levels) {
    for (const LayoutBox& box : level.forward.boxes) {
      EXPECT_LE(box.size.width, 220) << "a hostile name makes no endless box";
      EXPECT_EQ(box.inner == no_level, box.size.width > 0);
    }
  }
  EXPECT_EQ(small.levels.back().forward.edges, request(7).levels.back().forward.edges);
}

}  // namespace outline_test
}  // namespace stashscope::layout
