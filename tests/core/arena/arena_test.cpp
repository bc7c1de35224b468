#include "core/arena/arena.h"

#include <gtest/gtest.h>

#include "core/arena/sections.h"
#include "tests/core/arena/made_arenas.h"
#include "tests/support/refusal.h"

namespace stashscope {
namespace arena_test {

TEST(Arena, TheLoadBoundIsTheLargestSumOfLiveBytes) {
  EXPECT_EQ(load_bound({}), 0);
  EXPECT_EQ(load_bound({{0, 2, 4}, {2, 5, 4}, {1, 3, 3}}), 7) << "lives end before `upper`";
  EXPECT_EQ(load_bound({{-5, 1, 4}, {0, 1, 4}, {1, 2, 5}}), 8);
  EXPECT_EQ(load_bound(test::cut_rectangle(100, 1000, 60, 1)), 1000);
}

TEST(Arena, AFaultIsTheFirstOverlapOrABufferOutside) {
  const std::vector<ArenaBuffer> buffers = {{0, 4, 10}, {4, 8, 10}, {2, 6, 5}};
  EXPECT_EQ(find_fault(buffers, {{0, 0, 10}, 15}), std::nullopt);
  EXPECT_EQ(find_fault(buffers, {{0, 0, 9}, 15}), (ArenaFault{2, 0}));
  EXPECT_EQ(find_fault(buffers, {{0, 6, 10}, 20}), (ArenaFault{1, 2}));
  EXPECT_EQ(find_fault(buffers, {{5, 5, 0}, 20}), std::nullopt) << "0 and 1 do not meet";
  EXPECT_EQ(find_fault(buffers, {{0, 0, 10}, 14}), (ArenaFault{2, std::nullopt}));
  EXPECT_EQ(find_fault(buffers, {{-1, 0, 10}, 15}), (ArenaFault{0, std::nullopt}));
  EXPECT_EQ(find_fault({{0, 2, 0}, {0, 2, 5}}, {{2, 0}, 5}), std::nullopt) << "no bytes, no fault";
}

TEST(Arena, AWrongPlacementOfASearchIsRefused) {
  const std::vector<ArenaBuffer> buffers = {{0, 4, 10}, {2, 6, 5}};
  EXPECT_NO_THROW(require_right(buffers, {{0, 10}, 15}, "the placement", "the instance"));
  const std::string refused = test::refusal(ErrorKind::run, [&] {
    require_right(buffers, {{0, 9}, 15}, "the placement", "the instance");
  });
  for (const char* const part :
       {"the placement: ", "buffer 2", "; please report", "the instance"}) {
    EXPECT_NE(refused.find(part), std::string::npos) << refused;
  }
  EXPECT_EQ(arena_ratio(15, 10), 1.5);
  EXPECT_EQ(arena_ratio(0, 0), 1);
}

TEST(Arena, AFaultIsFoundAsByComparingAllPairs) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const std::vector<ArenaBuffer> buffers = test::random_buffers(6, 10, 4, seed);
    std::vector<std::int64_t> offsets;
    for (std::size_t i = 0; i < buffers.size(); ++i) {
      offsets.push_back(static_cast<std::int64_t>(seed * (i + 3) % 17));
    }
    bool is_wrong = false;
    for (std::size_t a = 0; a < buffers.size(); ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        const bool meet =
            buffers[a].lower < buffers[b].upper && buffers[b].lower < buffers[a].upper;
        is_wrong |= meet && offsets[a] < offsets[b] + buffers[b].bytes &&
                    offsets[b] < offsets[a] + buffers[a].bytes && buffers[a].bytes > 0 &&
                    buffers[b].bytes > 0;
      }
    }
    EXPECT_EQ(find_fault(buffers, {offsets, capacity_of(buffers, offsets)}).has_value(), is_wrong)
        << seed;
  }
}

TEST(ArenaSections, SharedSectionsAreSharedTime) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const std::vector<ArenaBuffer> buffers = test::random_buffers(20, 30, 4, seed);
    const ArenaSections sections = sections_of(buffers);
    const IndexLists neighbours = neighbours_of(sections);
    std::int64_t pairs = 0;
    for (std::size_t a = 0; a < buffers.size(); ++a) {
      for (std::size_t b = 0; b < buffers.size(); ++b) {
        const bool meet =
            buffers[a].lower < buffers[b].upper && buffers[b].lower < buffers[a].upper;
        const bool is_listed =
            std::count(neighbours.begin(a), neighbours.end(a), static_cast<int>(b)) == 1;
        EXPECT_EQ(is_listed, meet && a != b) << seed;
        pairs += meet && a < b ? 1 : 0;
      }
    }
    EXPECT_EQ(neighbours.items.size(), static_cast<std::size_t>(2 * pairs)) << seed;
  }
}

TEST(ArenaSections, MembersAreWhoLivesThere) {
  const ArenaSections sections = sections_of({{0, 4, 1}, {0, 2, 1}, {2, 4, 1}, {5, 6, 1}});
  ASSERT_EQ(sections.count, 3);
  const IndexLists members = members_of(sections);
  EXPECT_EQ(std::vector<int>(members.begin(0), members.end(0)), (std::vector<int>{0, 1}));
  EXPECT_EQ(std::vector<int>(members.begin(1), members.end(1)), (std::vector<int>{0, 2}));
  EXPECT_EQ(std::vector<int>(members.begin(2), members.end(2)), (std::vector<int>{3}));
}

}  // namespace arena_test
}  // namespace stashscope
