#pragma once

#include <gtest/gtest.h>

#include <random>

#include "core/layout/place/placement.h"

namespace stashscope::layout {

/// In pixels; Graphviz rounds positions.
constexpr double tolerance = 0.6;

inline void expect_apart(const std::vector<Rect>& boxes) {
  const auto shrunk = [](const Rect& r) {
    return Rect{r.x + tolerance, r.y + tolerance, r.width - 2 * tolerance,
                r.height - 2 * tolerance};
  };
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      EXPECT_FALSE(shrunk(boxes[i]).intersects(shrunk(boxes[j]))) << "boxes " << j << " and " << i;
    }
  }
}

inline void expect_touches(const Rect& box, Point end) {
  EXPECT_GE(end.x, box.x - tolerance);
  EXPECT_LE(end.x, box.right() + tolerance);
  EXPECT_GE(end.y, box.y - tolerance);
  EXPECT_LE(end.y, box.bottom() + tolerance);
}

/// @param down whether edges lead downwards
inline void expect_curves(const LayoutColumn& asked, const PlacedColumn& placed, bool down) {
  ASSERT_EQ(placed.curves.size(), asked.edges.size());
  for (std::size_t i = 0; i < asked.edges.size(); ++i) {
    const LayoutEdge& edge = asked.edges[i];
    const Curve& curve = placed.curves[i];
    if (curve.empty()) continue;
    ASSERT_EQ(curve.size() % 3, 1U);
    SCOPED_TRACE("edge " + std::to_string(edge.from) + " to " + std::to_string(edge.to));
    if (edge.from != outside) expect_touches(placed.boxes[edge.from], curve.front());
    if (edge.to != outside) expect_touches(placed.boxes[edge.to], curve.back());
    if (edge.from == outside || edge.to == outside || edge.from < edge.to) {
      EXPECT_EQ(curve.front().y < curve.back().y, down);
    }
  }
}

inline void expect_column(const LayoutColumn& asked, const PlacedColumn& placed, double height,
                          bool down) {
  ASSERT_EQ(placed.boxes.size(), asked.boxes.size());
  expect_apart(placed.boxes);
  for (std::size_t i = 0; i < asked.boxes.size(); ++i) {
    const Rect& box = placed.boxes[i];
    EXPECT_GE(box.x, -tolerance);
    EXPECT_GE(box.y, -tolerance);
    EXPECT_LE(box.right(), placed.width + tolerance);
    EXPECT_LE(box.bottom(), height + tolerance);
    if (asked.boxes[i].inner == no_level) {
      EXPECT_EQ((Size{box.width, box.height}), asked.boxes[i].size);
    }
  }
  for (const LayoutEdge& edge : asked.edges) {
    if (edge.from == outside || edge.to == outside || edge.from >= edge.to) continue;
    const double distance = placed.boxes[edge.to].center().y - placed.boxes[edge.from].center().y;
    EXPECT_GT(down ? distance : -distance, 0) << edge.from << " to " << edge.to;
  }
  expect_curves(asked, placed, down);
}

/// Checks every placement: boxes do not overlap or leave the picture, edges run in their side's
/// direction, curves end at their boxes.
inline void expect_tidy(const LayoutRequest& request, const LayoutResult& result) {
  ASSERT_EQ(result.levels.size(), request.levels.size());
  for (std::size_t i = 0; i < request.levels.size(); ++i) {
    SCOPED_TRACE("level " + std::to_string(i));
    const PlacedLevel& placed = result.levels[i];
    expect_column(request.levels[i].forward, placed.forward, placed.height, true);
    expect_column(request.levels[i].backward, placed.backward, placed.height, false);
  }
}

/// A column of up to `most` boxes with edges from lower to higher indices, some from or to the
/// outside.
inline LayoutColumn random_column(std::mt19937& random, std::size_t most, bool is_root) {
  LayoutColumn column;
  column.boxes.resize(random() % (most + 1));
  for (LayoutBox& box : column.boxes) {
    box.size = {static_cast<double>(40 + random() % 200), static_cast<double>(20 + random() % 40)};
  }
  const auto count = static_cast<std::uint32_t>(column.boxes.size());
  for (std::uint32_t to = 1; to < count; ++to) {
    for (auto k = random() % 3; k > 0; --k) {
      const LayoutEdge edge = {static_cast<std::uint32_t>(random() % to), to};
      const auto& known = column.edges;
      if (std::find(known.begin(), known.end(), edge) == known.end()) column.edges.push_back(edge);
    }
  }
  if (count > 0 && !is_root) {
    column.edges.push_back({outside, static_cast<std::uint32_t>(random() % count)});
    column.edges.push_back({static_cast<std::uint32_t>(random() % count), outside});
  }
  return column;
}

/// Nested levels, each shown by one box on each side of the level around it.
inline LayoutRequest random_request(unsigned seed) {
  std::mt19937 random(seed);
  LayoutRequest request;
  const std::size_t levels = 1 + random() % 4;
  for (std::size_t i = 0; i < levels; ++i) {
    LayoutLevel level;
    level.forward = random_column(random, 30, i + 1 == levels);
    level.backward = random_column(random, 30, i + 1 == levels);
    for (LayoutColumn* const column : {&level.forward, &level.backward}) {
      if (i > 0 && !column->boxes.empty()) {
        column->boxes[random() % column->boxes.size()].inner = static_cast<std::uint32_t>(i) - 1;
      }
    }
    if (!level.forward.boxes.empty() && !level.backward.boxes.empty()) {
      for (auto k = random() % 20; k > 0; --k) {
        level.partners.push_back(
            {static_cast<std::uint32_t>(random() % level.forward.boxes.size()),
             static_cast<std::uint32_t>(random() % level.backward.boxes.size())});
      }
    }
    request.levels.push_back(std::move(level));
  }
  return request;
}

}  // namespace stashscope::layout
