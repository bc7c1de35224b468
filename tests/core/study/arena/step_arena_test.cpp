#include "core/study/arena/step_arena.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "core/arena/arena_file.h"
#include "core/onnx/captured_step_reader.h"
#include "core/study/arena/arena_csv.h"
#include "tests/support/captured_model.h"
#include "tests/support/named_model.h"

namespace stashscope {
namespace step_arena_test {

constexpr SearchLimit short_limit{.seconds = 0, .moves = 50'000};

std::shared_ptr<const Study> blocks_of(int count, int level) {
  Choices choices;
  choices.dims["N"] = 64;
  choices.plans.level = level;
  choices.update.optimizer = "adam";
  return compute_study(test::named(test::blocks(count)), choices, nullptr, Progress());
}

/// A step whose node needs workspace.
std::shared_ptr<const Study> captured() {
  GraphData data = test::captured_data(true);
  read_captured_step(data);
  return compute_study(std::make_shared<const Graph>(std::move(data)), {}, nullptr, Progress());
}

std::vector<std::shared_ptr<const Study>> examples() {
  std::vector<std::shared_ptr<const Study>> studies = {blocks_of(5, 0), blocks_of(5, 1),
                                                       captured()};
  for (unsigned seed = 0; seed < 6; ++seed) {
    studies.push_back(test::study_of(test::named(test::random_model(seed, 40)), 1));
  }
  return studies;
}

/// The load of each slot, from the buffers of the timeline and its live bytes.
std::int64_t largest_load(const Variant& variant) {
  const Timeline& timeline = variant.timeline;
  std::int64_t persistent = 0;
  for (const Buffer& each : timeline.buffers) persistent += each.persistent ? each.bytes : 0;
  return *std::ranges::max_element(timeline.live_bytes) - persistent;
}

void expect_right(const Variant& variant, const StepArena& arena) {
  const std::vector<ArenaBuffer> buffers = arena_buffers(arena);
  EXPECT_FALSE(find_fault(buffers, {arena_offsets(arena), arena.capacity_bytes}));
  EXPECT_EQ(arena.load_bound_bytes, largest_load(variant));
  EXPECT_LE(arena.load_bound_bytes, arena.lower_bound_bytes);
  EXPECT_LE(arena.lower_bound_bytes, arena.capacity_bytes);
  EXPECT_EQ(arena.capacity_bytes, capacity_of(buffers, arena_offsets(arena)));
  EXPECT_GE(arena_ratio(arena), 1);
}

TEST(StepArena, IsRightAndItsLoadBoundIsThePeakWithoutPersistentTensors) {
  for (const auto& study : examples()) {
    for (const auto& variant : {study->baseline, study->current}) {
      expect_right(*variant, step_arena(*variant, short_limit, Progress()));
    }
  }
}

TEST(StepArena, HasEachTensorOfTheStepOnceAndNoPersistentOne) {
  for (const auto& study : examples()) {
    const Timeline& timeline = study->current->timeline;
    const StepArena arena = step_arena(*study->current, short_limit, Progress());
    std::set<BufferId> placed;
    for (const ArenaPiece& each : arena.pieces) {
      if (!each.buffer.valid()) continue;
      const Buffer& buffer = timeline.buffers[each.buffer];
      EXPECT_TRUE(placed.insert(each.buffer).second);
      EXPECT_FALSE(buffer.persistent);
      EXPECT_EQ(each.bytes, buffer.bytes);
      EXPECT_EQ(each.first_slot, buffer.first_slot);
      EXPECT_EQ(each.last_slot, buffer.last_slot);
    }
    for (const BufferId id : IdRange<BufferId>(timeline.buffers.size())) {
      const Buffer& buffer = timeline.buffers[id];
      EXPECT_EQ(placed.contains(id), !buffer.persistent && buffer.bytes > 0);
    }
    EXPECT_TRUE(std::ranges::is_sorted(arena.pieces, {}, &ArenaPiece::first_slot));
  }
}

TEST(StepArena, WorkspacesLiveWhileTheirNodeRuns) {
  const auto study = captured();
  const StepArena arena = step_arena(*study->current, short_limit, Progress());
  std::vector<ArenaPiece> workspaces;
  std::ranges::copy_if(arena.pieces, std::back_inserter(workspaces),
                       [](const ArenaPiece& each) { return !each.buffer.valid(); });
  ASSERT_EQ(workspaces.size(), 1U);
  EXPECT_EQ(workspaces[0].bytes, 8);
  EXPECT_EQ(workspaces[0].first_slot, 4U);
  EXPECT_EQ(workspaces[0].last_slot, 4U);
  EXPECT_EQ(piece_name(*study, *study->current, workspaces[0]), "make_w.grad workspace");
}

TEST(StepArena, IsTheSameEachTime) {
  const auto study = test::study_of(test::named(test::random_model(3, 120)), 1);
  SearchLimit limit = short_limit;
  for (const std::uint64_t seed : {1U, 7U}) {
    limit.seed = seed;
    EXPECT_EQ(step_arena(*study->current, limit, Progress()),
              step_arena(*study->current, limit, Progress()));
  }
}

TEST(StepArena, AStepWithoutNodesNeedsNone) {
  const auto model = test::named(test::ModelBuilder().input("x", {4}).output("x"));
  const auto study = compute_study(model, {}, nullptr, Progress());
  const StepArena arena = step_arena(*study->current, short_limit, Progress());
  EXPECT_TRUE(arena.pieces.empty());
  EXPECT_EQ(arena.capacity_bytes, 0);
  EXPECT_EQ(arena_ratio(arena), 1);
}

TEST(StepArena, OneSearchIsForBothVariantsIfPlansChangeNothing) {
  const auto searches_of = [](const Study& study) {
    int reports = 0;
    const Progress progress([&](double, std::string_view) { ++reports; });
    const StepArenas both = step_arenas(study, short_limit, progress);
    const int of_both = std::exchange(reports, 0);
    EXPECT_EQ(both.baseline.arena, step_arena(*study.baseline, short_limit, progress));
    const int of_baseline = std::exchange(reports, 0);
    EXPECT_EQ(both.current.arena, step_arena(*study.current, short_limit, progress));
    return std::array{of_both, of_baseline, reports};
  };
  const auto [same, of_baseline, of_same] = searches_of(*blocks_of(5, 0));
  EXPECT_EQ(same, of_baseline);
  const auto [both, of_first, of_second] = searches_of(*blocks_of(5, 1));
  EXPECT_EQ(both, of_first + of_second);
}

TEST(StepArena, AStepThatIsTooLargeHasAReasonInstead) {
  Choices choices;
  choices.dims["N"] = 2'000'000'000'000'000;
  const auto study = compute_study(test::named(test::blocks(5)), choices, nullptr, Progress());
  const StepArenas none = step_arenas(*study, short_limit, Progress());
  for (const FoundArena& each : {none.baseline, none.current}) {
    EXPECT_FALSE(each.arena);
    ASSERT_TRUE(each.failure);
    EXPECT_EQ(each.failure->kind(), ErrorKind::input);
    EXPECT_FALSE(each.failure->hint().empty());
  }
}

TEST(StepArena, TheClockLimitsTheSearchOnlyIfItIsAskedFor) {
  const SearchLimit usual;
  EXPECT_EQ(arena_limit(usual, false), usual_arena_limit);
  EXPECT_EQ(arena_limit({.seconds = 10, .moves = 500, .seed = 7}, false),
            (SearchLimit{.seconds = 0, .moves = 500, .seed = 7}));
  EXPECT_EQ(arena_limit({.seconds = 3, .moves = 500}, true),
            (SearchLimit{.seconds = 3, .moves = 500}));
  EXPECT_EQ(arena_limit({.seconds = 3}, true), (SearchLimit{.seconds = 3}));
}

TEST(StepArena, CanBeCancelled) {
  const Progress progress;
  progress.cancel();
  const auto study = blocks_of(5, 0);
  EXPECT_THROW(step_arena(*study->current, short_limit, progress), Error);
  EXPECT_THROW(step_arenas(*study, short_limit, progress), Error);
}

TEST(StepArena, TheFileIsReadBackAsTheSameBuffers) {
  for (const auto& study : examples()) {
    const Variant& variant = *study->current;
    const StepArena arena = step_arena(variant, short_limit, Progress());
    const ArenaFile file = parse_arena(arena_csv(*study, variant, arena));
    EXPECT_EQ(file.buffers, arena_buffers(arena));
    EXPECT_EQ(file.header, (std::vector<std::string>{"id", "lower", "upper", "size", "offset"}));
    ASSERT_TRUE(file.offset_column);
    for (std::size_t i = 0; i < arena.pieces.size(); ++i) {
      EXPECT_EQ(file.rows[i][*file.offset_column], std::to_string(arena.pieces[i].offset));
      EXPECT_EQ(file.rows[i][0], piece_name(*study, variant, arena.pieces[i]));
    }
  }
}

TEST(StepArena, TheFileHasNamesThatTheFormatDoesNotAllow) {
  test::ModelBuilder m;
  m.input("x", {4, 4}).weight("w", {4, 4});
  m.node("MatMul", {"x", "w"}, {"a,b"}).node("MatMul", {"a,b", "a,b"}, {"a_b"});
  m.node("MatMul", {"a_b", "a,b"}, {"a\nb"}).output("a\nb");
  const auto study =
      compute_study(std::make_shared<const Graph>(m.build()), {}, nullptr, Progress());
  const StepArena arena = step_arena(*study->current, short_limit, Progress());
  const ArenaFile file = parse_arena(arena_csv(*study, *study->current, arena));
  std::set<std::string> ids;
  for (const auto& row : file.rows) ids.insert(row[0]);
  EXPECT_EQ(ids.size(), arena.pieces.size());
  EXPECT_TRUE(ids.contains("a_b"));
  EXPECT_TRUE(ids.contains("a_b #2"));
}

}  // namespace step_arena_test
}  // namespace stashscope
