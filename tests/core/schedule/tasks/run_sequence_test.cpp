// Incrementally updated values must match values computed from the whole sequence.

#include "core/schedule/tasks/run_sequence.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "core/base/error.h"
#include "core/schedule/tasks/prefix_max_tree.h"
#include "core/schedule/tasks/sequence_moves.h"
#include "tests/support/random_tasks.h"

namespace stashscope {
namespace run_sequence_test {

TEST(PrefixMaxTree, KnowsTheLargestOfEveryPrefixOfChanges) {
  for (const std::size_t size : {1U, 2U, 5U, 64U, 100U}) {
    std::mt19937 random(static_cast<std::uint32_t>(size));
    std::vector<std::int64_t> live(size);
    for (auto& each : live) each = random() % 100;
    std::vector<std::int64_t> changes(size);
    std::adjacent_difference(live.begin(), live.end(), changes.begin());
    PrefixMaxTree tree(changes);
    for (int change = 0; change < 300; ++change) {
      std::size_t first = random() % size;
      std::size_t last = random() % size;
      if (first > last) std::swap(first, last);
      const auto bytes = static_cast<std::int64_t>(random() % 41) - 20;
      for (std::size_t i = first; i <= last; ++i) live[i] += bytes;
      tree.add_from(first, bytes);
      tree.add_from(last + 1, -bytes);
      if (change % 3 == 0) continue;
      const auto largest = std::max_element(live.begin(), live.end());
      ASSERT_EQ(tree.largest(), *largest);
      ASSERT_EQ(tree.largest_slot(), static_cast<std::size_t>(largest - live.begin()));
    }
  }
}

TEST(TaskGraph, MemoryOfTheSequenceByHand) {
  // 0 -> 1 -> 2 and 0 -> 2, of 1, 10 and 100 bytes.
  const TaskGraph graph = TaskGraph::of_single_outputs(
      {1, 2, 4}, {1, 10, 100},
      {{TaskId(0), TaskId(1)}, {TaskId(1), TaskId(2)}, {TaskId(0), TaskId(2)}});
  const SequenceMemory once = memory_of(graph, std::vector{TaskId(0), TaskId(1), TaskId(2)});
  EXPECT_EQ(once.live_bytes, (std::vector<std::int64_t>{1, 11, 111}));
  EXPECT_EQ(once.cost, 7);
  // The first copy of 0 is freed after 1.
  const SequenceMemory again =
      memory_of(graph, std::vector{TaskId(0), TaskId(1), TaskId(0), TaskId(2)});
  EXPECT_EQ(again.live_bytes, (std::vector<std::int64_t>{1, 11, 11, 111}));
  EXPECT_EQ(again.cost, 8);
  EXPECT_EQ(again.peak_slot, 3U);
  EXPECT_EQ(largest_task_bytes(graph), 111);
  EXPECT_THROW(memory_of(graph, std::vector{TaskId(0), TaskId(2), TaskId(1)}), Error);
  EXPECT_THROW(memory_of(graph, std::vector{TaskId(0), TaskId(1)}), Error);
}

/// 0 -> 1 -> 2, 8 bytes each; 1 can overwrite its input.
TaskGraph taken_over() {
  TaskGraph graph = TaskGraph::of_single_outputs({1, 1, 1}, {8, 8, 8},
                                                 {{TaskId(0), TaskId(1)}, {TaskId(1), TaskId(2)}});
  graph.readers.row(ItemId(0))[0].takes_over = true;
  graph.kept[ItemId(2)] = true;
  return graph;
}

TEST(TaskGraph, WhatIsTakenOverNeedsNoRoomOfItsOwn) {
  const TaskGraph graph = taken_over();
  const auto order = test::given_order(graph);
  EXPECT_EQ(memory_of(graph, order).live_bytes, (std::vector<std::int64_t>{8, 8, 16}));
  EXPECT_EQ(RunSequence(graph, order).peak_bytes(), 16);
  // If 0 runs again, its first copy also dies where it is taken over.
  EXPECT_EQ(memory_of(graph, std::vector{TaskId(0), TaskId(0), TaskId(1), TaskId(2)}).live_bytes,
            (std::vector<std::int64_t>{8, 8, 8, 16}));
}

/// Adds and removes random runs; every change keeps the sequence valid.
void change_something(RunSequence& state, SearchRandom& random) {
  const TaskId task(random.below(static_cast<std::uint32_t>(state.graph().tasks())));
  if (random.below(3) == 0) {
    shift_random_run(state, random);
    return;
  }
  Runs runs = state.runs(task);
  if (random.below(2) == 0) {
    const std::size_t run = random.below(runs.count);
    if (!state.can_remove(task, run)) return;
    runs.erase(run);
  } else {
    const auto slot =
        empty_slot_before(state, random.below(state.slots() + 1), state.earliest_repeat(task));
    if (!slot || runs.is_full()) return;
    runs.insert(*slot);
  }
  state.change(task, runs);
}

void expect_same(const RunSequence& state) {
  const SequenceMemory memory = memory_of(state.graph(), state.sequence());
  ASSERT_EQ(state.peak_bytes(), memory.peak_bytes);
  ASSERT_EQ(state.cost(), memory.cost);
}

TEST(RunSequence, AgreesWithTheWholeSequenceAfterEveryChange) {
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    TaskGraph graph = test::random_tasks(seed, 12);
    graph.kept[ItemId(11)] = seed % 2 == 0;
    graph.persistent_bytes = seed;
    RunSequence state(graph, test::given_order(graph));
    SearchRandom random(seed);
    for (int change = 0; change < 300; ++change) {
      const auto before = state.sequence();
      for (std::uint32_t left = 1 + random.below(3); left > 0; --left) {
        change_something(state, random);
      }
      expect_same(state);
      if (random.below(2) == 0) {
        state.keep();
      } else {
        state.undo();
        ASSERT_EQ(state.sequence(), before);
        expect_same(state);
      }
      if (change % 50 == 0 || state.is_crowded()) {
        state.respace();
        expect_same(state);
      }
    }
  }
}

TEST(RunSequence, KnowsWhatIsAliveAndReadNext) {
  const TaskGraph graph = taken_over();
  const RunSequence state(graph, test::given_order(graph));
  const std::uint32_t made = state.runs(TaskId(0)).first();
  const std::uint32_t read = state.runs(TaskId(1)).first();
  EXPECT_FALSE(state.is_alive(ItemId(0), made - 1));
  EXPECT_TRUE(state.is_alive(ItemId(0), made));
  EXPECT_FALSE(state.is_alive(ItemId(0), read)) << "taken over";
  EXPECT_TRUE(state.is_alive(ItemId(2), state.slots() - 1)) << "kept";
  EXPECT_EQ(state.next_read(ItemId(0), made), read);
  EXPECT_EQ(state.next_read(ItemId(2), made), state.slots());
  EXPECT_TRUE(state.is_read(TaskId(2), 0)) << "by a reader after the step";
}

}  // namespace run_sequence_test
}  // namespace stashscope
