#include "core/arena/arena_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <numeric>

#include "core/arena/arena_file.h"
#include "core/arena/arena_orders.h"
#include "core/arena/canonical_search.h"
#include "core/arena/greedy_fit.h"
#include "tests/core/arena/made_arenas.h"
#include "tests/support/refusal.h"

namespace stashscope {
namespace arena_search_test {

SearchLimit moves(std::int64_t count) { return {0, count, 1}; }

/// Whether any offsets place the buffers from `next` on, by trying all.
bool fits(const std::vector<ArenaBuffer>& buffers, std::int64_t capacity,
          std::vector<std::int64_t>& offsets) {
  const std::size_t next = offsets.size();
  if (next == buffers.size()) return true;
  for (std::int64_t offset = 0; offset + buffers[next].bytes <= capacity; ++offset) {
    bool is_free = true;
    for (std::size_t i = 0; i < next && is_free; ++i) {
      const bool meet =
          buffers[i].lower < buffers[next].upper && buffers[next].lower < buffers[i].upper;
      is_free = !meet || offset >= offsets[i] + buffers[i].bytes ||
                offsets[i] >= offset + buffers[next].bytes;
    }
    if (!is_free) continue;
    offsets.push_back(offset);
    if (fits(buffers, capacity, offsets)) return true;
    offsets.pop_back();
  }
  return false;
}

std::int64_t lowest_capacity(const std::vector<ArenaBuffer>& buffers) {
  std::vector<std::int64_t> offsets;
  std::int64_t capacity = load_bound(buffers);
  while (!fits(buffers, capacity, offsets)) ++capacity;
  return capacity;
}

TEST(ArenaSearch, FindsTheLowestCapacityOfSmallArenas) {
  int above_the_load = 0;
  for (std::uint64_t seed = 100; seed <= 130; ++seed) {
    const std::vector<ArenaBuffer> buffers = test::full_arena(10, 4, seed);
    const std::int64_t lowest = lowest_capacity(buffers);
    const ArenaResult result = find_placement(buffers, std::nullopt, moves(100'000), Progress());
    EXPECT_EQ(result.placement.capacity, lowest) << seed;
    EXPECT_EQ(find_fault(buffers, result.placement), std::nullopt) << seed;
    EXPECT_EQ(result.lower_bound, lowest) << seed;
    above_the_load += lowest > result.load_bound ? 1 : 0;
  }
  EXPECT_GT(above_the_load, 0) << "no arena tests more than the load bound";
}

/// Zero slack, as in the instances of the paper.
TEST(ArenaSearch, RectanglesCutIntoPiecesArePutTogetherAgain) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto buffers = test::cut_rectangle(1000, 1000, 60, seed);
    const ArenaResult result = find_placement(buffers, 1000, moves(3'000'000), Progress());
    EXPECT_EQ(result.placement.capacity, 1000) << seed;
    EXPECT_EQ(find_fault(buffers, result.placement), std::nullopt) << seed;
  }
}

TEST(ArenaSearch, ACapacityThatIsImpossibleIsProven) {
  const std::vector<ArenaBuffer> buffers = test::full_arena(10, 4, 116);
  ASSERT_EQ(lowest_capacity(buffers), 11) << "one more than its load";
  CanonicalSearch search(buffers);
  ArenaClock clock(moves(1'000'000), Progress());
  EXPECT_EQ(search.search(11, clock), ArenaAnswer::placed);
  EXPECT_EQ(search.search(10, clock), ArenaAnswer::impossible);
  const ArenaResult result = find_placement(buffers, 10, moves(1'000'000), Progress());
  EXPECT_EQ(result.lower_bound, 11);
  EXPECT_EQ(find_fault(buffers, result.placement), std::nullopt);
}

/// All sizes are multiples of 512, and so are all capacities of interest.
TEST(ArenaSearch, ALowerBoundIsACapacityThatBuffersCanHave) {
  std::vector<ArenaBuffer> buffers = test::full_arena(10, 4, 116);
  for (ArenaBuffer& each : buffers) each.bytes *= 512;
  const std::int64_t capacity = 10 * 512 + 100;
  const ArenaResult result = find_placement(buffers, capacity, moves(1'000'000), Progress());
  EXPECT_EQ(result.lower_bound, 11 * 512);
  EXPECT_EQ(result.placement.capacity, 11 * 512);
}

TEST(ArenaSearch, IsNeverWorseThanFirstFitAndKeepsToItsSeed) {
  for (const std::size_t count : {std::size_t{50}, std::size_t{2500}}) {
    const std::vector<ArenaBuffer> buffers = test::random_buffers(count, 400, 100, count);
    const ArenaSections sections = sections_of(buffers);
    const auto order = ordered(buffers, largest_loads(buffers, sections), ArenaOrder::start);
    const auto offsets = first_fit(buffers, sections, order, most_arena_bytes);
    const ArenaResult short_search = find_placement(buffers, std::nullopt, moves(1), Progress());
    EXPECT_LE(short_search.placement.capacity, capacity_of(buffers, offsets));
    EXPECT_EQ(find_fault(buffers, short_search.placement), std::nullopt);
    const ArenaResult once = find_placement(buffers, std::nullopt, moves(100'000), Progress());
    const ArenaResult again = find_placement(buffers, std::nullopt, moves(100'000), Progress());
    EXPECT_EQ(once.placement, again.placement);
    EXPECT_LE(once.placement.capacity, short_search.placement.capacity);
  }
}

TEST(ArenaSearch, BuffersWithoutBytesAndEmptyArenasAreFine) {
  EXPECT_EQ(find_placement({}, std::nullopt, moves(10), Progress()).placement.capacity, 0);
  const std::vector<ArenaBuffer> buffers = {{0, 2, 0}, {0, 2, 5}, {1, 3, 0}, {1, 3, 7}};
  const ArenaResult result = find_placement(buffers, std::nullopt, moves(10), Progress());
  EXPECT_EQ(result.placement.capacity, 12);
  EXPECT_EQ(find_fault(buffers, result.placement), std::nullopt);
}

TEST(ArenaSearch, CanBeCancelled) {
  const Progress progress;
  progress.cancel();
  EXPECT_NO_THROW(find_placement({}, std::nullopt, moves(10), progress));
  test::refusal(ErrorKind::cancelled, [&] {
    find_placement(test::random_buffers(50, 40, 9, 1), std::nullopt, {0, 0, 1}, progress);
  });
}

TEST(ArenaSearch, ASearchThatIsEndedStopsWithinAPass) {
  const auto buffers = test::random_buffers(400, 300, 1000, 3);
  const ArenaSections sections = sections_of(buffers);
  const auto order = ordered(buffers, largest_loads(buffers, sections), ArenaOrder::start);
  const std::int64_t first_pass =
      capacity_of(buffers, first_fit(buffers, sections, order, most_arena_bytes));
  const auto ended_before = [&](int pass) {
    std::atomic<bool> is_ended = false;
    int passes = 0;
    // A pass is reported before it starts.
    const Progress progress([&](double, std::string_view) { is_ended = ++passes >= pass; });
    SearchLimit limit = moves(1'000'000);
    limit.is_ended = &is_ended;
    const ArenaResult found = find_placement(buffers, std::nullopt, limit, progress);
    EXPECT_EQ(find_fault(buffers, found.placement), std::nullopt);
    return found.placement.capacity;
  };
  EXPECT_EQ(ended_before(1), first_pass) << "there is always a placement";
  EXPECT_EQ(ended_before(2), first_pass) << "the second pass does not run to its end";
  EXPECT_LT(ended_before(3), first_pass) << "the second pass finds more";
}

TEST(GreedyFit, PassesStopWhenTheyAreTold) {
  const auto buffers = test::random_buffers(1000, 400, 1000, 1);
  const ArenaSections sections = sections_of(buffers);
  const auto order = ordered(buffers, largest_loads(buffers, sections), ArenaOrder::size);
  for (const auto& fit : {&first_fit, &stacked_fit}) {
    int asked = 0;
    const auto whole = fit(buffers, sections, order, most_arena_bytes, [&] { return ++asked < 0; });
    EXPECT_EQ(whole, fit(buffers, sections, order, most_arena_bytes, {}));
    EXPECT_GE(asked, 3) << "a long pass is asked several times";
    asked = 0;
    EXPECT_TRUE(
        fit(buffers, sections, order, most_arena_bytes, [&] { return ++asked == 3; }).empty());
    EXPECT_EQ(asked, 3);
  }
}

/// The lowest free offset by trying those above each placed buffer.
std::int64_t lowest_free(const std::vector<ArenaBuffer>& buffers,
                         const std::vector<std::int64_t>& offsets, const std::vector<int>& placed,
                         const ArenaBuffer& next) {
  const auto is_free = [&](std::int64_t offset) {
    return std::ranges::none_of(placed, [&](int each) {
      const ArenaBuffer& other = buffers[at(each)];
      return other.lower < next.upper && next.lower < other.upper &&
             offset < offsets[at(each)] + other.bytes && offsets[at(each)] < offset + next.bytes;
    });
  };
  std::vector<std::int64_t> tried = {0};
  for (const int each : placed) tried.push_back(offsets[at(each)] + buffers[at(each)].bytes);
  std::ranges::sort(tried);
  return *std::ranges::find_if(tried, is_free);
}

TEST(GreedyFit, FirstFitTakesTheLowestFreeOffset) {
  auto buffers = test::random_buffers(700, 500, 1000, 5);
  for (ArenaBuffer& each : buffers) each.upper = std::min(each.upper, each.lower + 60);
  std::erase_if(buffers, [](const ArenaBuffer& each) { return each.bytes == 0; });
  const ArenaSections sections = sections_of(buffers);
  for (const ArenaOrder by : {ArenaOrder::start, ArenaOrder::size}) {
    const auto order = ordered(buffers, largest_loads(buffers, sections), by);
    std::vector<std::int64_t> offsets(buffers.size());
    std::vector<int> placed;
    for (const int each : order) {
      offsets[at(each)] = lowest_free(buffers, offsets, placed, buffers[at(each)]);
      placed.push_back(each);
    }
    EXPECT_EQ(first_fit(buffers, sections, order, most_arena_bytes), offsets);
  }
}

TEST(GreedyFit, PassesPlaceNothingAboveTheMostBytes) {
  const std::vector<ArenaBuffer> buffers = {{0, 2, 4}, {1, 3, 4}, {2, 4, 4}};
  const ArenaSections sections = sections_of(buffers);
  for (const auto& fit : {&first_fit, &stacked_fit}) {
    EXPECT_EQ(fit(buffers, sections, {0, 1, 2}, 8, {}), (std::vector<std::int64_t>{0, 4, 0}));
    EXPECT_TRUE(fit(buffers, sections, {0, 1, 2}, 7, {}).empty());
  }
}

TEST(GreedyFit, FirstFitFillsGapsAndStackedFitDoesNot) {
  const std::vector<ArenaBuffer> buffers = {{0, 2, 4}, {1, 5, 4}, {4, 7, 4}, {2, 4, 2}};
  const ArenaSections sections = sections_of(buffers);
  EXPECT_EQ(first_fit(buffers, sections, {0, 1, 2, 3}, 100),
            (std::vector<std::int64_t>{0, 4, 0, 0}));
  EXPECT_EQ(stacked_fit(buffers, sections, {0, 1, 2, 3}, 100),
            (std::vector<std::int64_t>{0, 4, 0, 0}))
      << "the last buffer is stacked before the second";
  EXPECT_EQ(stacked_fit(test::cut_rectangle(100, 100, 200, 1),
                        sections_of(test::cut_rectangle(100, 100, 200, 1)), {}, 100),
            std::vector<std::int64_t>(200, 0))
      << "nothing in the order, nothing placed";
}

/// The published instances: `STASHSCOPE_ARENAS` names a folder with A.1048576.csv to K.1048576.csv
/// of google/minimalloc, where each file's name has the capacity.
TEST(ArenaSearch, PublishedInstancesFitTheirCapacity) {
  const char* const folder = std::getenv("STASHSCOPE_ARENAS");
  if (folder == nullptr) GTEST_SKIP() << "STASHSCOPE_ARENAS names no folder with instances";
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string capacity = entry.path().stem().extension().string();
    if (entry.path().extension() != ".csv" || capacity.size() < 2) continue;
    const std::vector<ArenaBuffer> buffers = read_arena(entry.path()).buffers;
    const std::int64_t most = std::stoll(capacity.substr(1));
    const ArenaResult result = find_placement(buffers, most, moves(2'000'000), Progress());
    EXPECT_LE(result.placement.capacity, most) << entry.path();
    EXPECT_EQ(find_fault(buffers, result.placement), std::nullopt) << entry.path();
    ++count;
  }
  EXPECT_GT(count, 0U) << "no instance in the folder";
}

}  // namespace arena_search_test
}  // namespace stashscope
