#include "core/layout/place/rows.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>

namespace stashscope::layout {
namespace rows_test {

using Heights = std::vector<double>;

/// Rows of the same height, one below the other.
std::vector<Row> stacked(std::size_t count, double height = 20, double gap = 10) {
  std::vector<Row> rows;
  for (std::size_t i = 0; i < count; ++i) {
    rows.push_back({height / 2 + static_cast<double>(i) * (height + gap), height});
  }
  return rows;
}

/// Checks that order is kept, no gap shrinks, and nothing lies above 0.
void expect_spread(const std::vector<Row>& rows, const Heights& centers) {
  ASSERT_EQ(centers.size(), rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_GE(centers[i] - rows[i].height / 2, -1e-6);
    if (i == 0) continue;
    EXPECT_GE(centers[i] - centers[i - 1], rows[i].center - rows[i - 1].center - 1e-6);
  }
}

TEST(AlignRows, WithoutLinksBothBeginAtTheTop) {
  const std::vector<Row> left = {{110, 20}, {150, 20}};
  const AlignedRows aligned = align_rows(left, stacked(1), {});
  EXPECT_EQ(aligned.left, (Heights{10, 50}));
  EXPECT_EQ(aligned.right, (Heights{10}));
  EXPECT_TRUE(align_rows({}, {}, {}).left.empty());
  EXPECT_EQ(align_rows({}, stacked(2), {}).right, (Heights{10, 40}));
}

TEST(AlignRows, LinkedRowsLieSideBySide) {
  const AlignedRows aligned = align_rows(stacked(3), stacked(5), {{0, 1}, {2, 4}});
  EXPECT_EQ(aligned.left[0], aligned.right[1]);
  EXPECT_EQ(aligned.left[2], aligned.right[4]);
  expect_spread(stacked(3), aligned.left);
  expect_spread(stacked(5), aligned.right);
}

TEST(AlignRows, TheShorterColumnIsStretchedEvenly) {
  const AlignedRows aligned = align_rows(stacked(3), stacked(5), {{0, 0}, {2, 4}});
  EXPECT_EQ(aligned.left, (Heights{10, 70, 130}));
}

TEST(AlignRows, OfCrossingLinksAsManyAsPossibleHold) {
  // {0, 2} crosses both others, which do not cross each other.
  const AlignedRows aligned = align_rows(stacked(3), stacked(3), {{0, 2}, {1, 0}, {2, 1}});
  EXPECT_EQ(aligned.left[1], aligned.right[0]);
  EXPECT_EQ(aligned.left[2], aligned.right[1]);
  EXPECT_NE(aligned.left[0], aligned.right[2]);
}

/// The size of the largest ascending set of links, by exhaustive search.
std::size_t most_ascending(const std::vector<RowLink>& links) {
  std::size_t most = 0;
  for (std::uint32_t chosen = 0; chosen < (1U << links.size()); ++chosen) {
    std::size_t count = 0;
    bool ascends = true;
    for (std::size_t i = 0; i < links.size(); ++i) {
      if ((chosen >> i & 1U) == 0) continue;
      ++count;
      for (std::size_t j = 0; j < i; ++j) {
        if ((chosen >> j & 1U) == 0) continue;
        ascends &= (links[i].left < links[j].left && links[i].right < links[j].right) ||
                   (links[i].left > links[j].left && links[i].right > links[j].right);
      }
    }
    if (ascends) most = std::max(most, count);
  }
  return most;
}

TEST(AlignRows, HoldsAsManyLinksAsPossibleOfAnyColumns) {
  std::mt19937 random(99);
  const auto column = [&](std::size_t count) {
    std::vector<Row> rows;
    double y = static_cast<double>(random() % 50);
    for (std::size_t i = 0; i < count; ++i) {
      const auto height = static_cast<double>(1 + random() % 60);
      rows.push_back({y + height / 2, height});
      y += height + static_cast<double>(1 + random() % 20);
    }
    return rows;
  };
  for (int round = 0; round < 100; ++round) {
    const auto left = column(1 + random() % 8);
    const auto right = column(1 + random() % 8);
    std::vector<RowLink> links(random() % 9);
    for (RowLink& link : links) link = {random() % left.size(), random() % right.size()};
    const AlignedRows aligned = align_rows(left, right, links);
    expect_spread(left, aligned.left);
    expect_spread(right, aligned.right);
    std::set<std::pair<std::size_t, std::size_t>> held;
    for (const RowLink& link : links) {
      if (std::abs(aligned.left[link.left] - aligned.right[link.right]) < 1e-6) {
        held.emplace(link.left, link.right);
      }
    }
    EXPECT_GE(held.size(), most_ascending(links)) << "round " << round;
  }
}

TEST(RowMap, MovesRowsAndSpreadsWhatIsBetween) {
  const RowMap map({{10, 20}, {50, 20}}, {10, 90});
  EXPECT_EQ(map(10), 10);
  EXPECT_EQ(map(5), 5);
  EXPECT_EQ(map(50), 90);
  EXPECT_EQ(map(55), 95);
  EXPECT_EQ(map(30), 50) << "the middle of the gap stays its middle";
  EXPECT_EQ(map(-5), -5);
  EXPECT_EQ(map(70), 110);
}

TEST(RowMap, NeverTurnsTheOrderRound) {
  const RowMap map({{10, 20}, {50, 0}, {90, 40}}, {15, 80, 200});
  for (double y = -20; y < 150; y += 0.5) EXPECT_LE(map(y), map(y + 0.5)) << y;
}

TEST(RowMap, WithoutRowsChangesNothing) { EXPECT_EQ(RowMap({}, {})(42), 42); }

}  // namespace rows_test
}  // namespace stashscope::layout
