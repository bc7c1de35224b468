#include "core/recompute/node_stash.h"

#include <gtest/gtest.h>

#include <numeric>

#include "tests/core/layout/scene/drawn_step.h"

namespace stashscope {
namespace node_stash_test {

IdVector<NodeId, NodeStash> stashes_of(const Study& study) {
  return node_stashes(*study.opportunities, study.baseline->timeline, study.current->dataflow,
                      study.pinned);
}

StashState state_of(const Study& study, const std::string& node) {
  return stashes_of(study)[*study.graph().find_node(node)].state;
}

TEST(NodeStashes, TellWhatBecomesOfEachActivation) {
  const auto model = test::named(test::layers_with_tanh(2));
  const auto before = test::study_of(model, 0);
  EXPECT_EQ(state_of(*before, "/h.0/MatMul"), StashState::none) << "backward never reads it";
  EXPECT_EQ(state_of(*before, "/h.0/Mul"), StashState::plannable);
  EXPECT_EQ(state_of(*before, "/h.0/Tanh"), StashState::unplanned);
  const auto after = test::study_of(model, 1);
  ASSERT_FALSE(after->applied.empty());
  for (const NodePlan* const plan : after->applied) {
    EXPECT_EQ(stashes_of(*after)[plan->node].state, StashState::freed)
        << after->graph().node(plan->node).name;
  }
}

TEST(NodeStashes, WhatTheUserPinnedIsPinned) {
  const auto model = test::named(test::layers_with_tanh(2));
  Choices choices;
  choices.dims["N"] = 64;
  choices.plans.level = 1;
  choices.plans.pinned = {"/h.0/Mul"};
  const auto study = compute_study(model, choices, nullptr, Progress());
  EXPECT_EQ(state_of(*study, "/h.0/Mul"), StashState::pinned);
  EXPECT_EQ(state_of(*study, "/h.1/Mul"), StashState::freed);
}

TEST(NodeStashes, CountEveryStashedByteOnce) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    const auto study = test::study_of(test::named(test::random_model(seed, 60)), seed % 2 == 0);
    const auto stashes = stashes_of(*study);
    const std::int64_t all =
        std::accumulate(stashes.begin(), stashes.end(), std::int64_t{0},
                        [](std::int64_t sum, const NodeStash& stash) { return sum + stash.bytes; });
    EXPECT_EQ(all, stashed_bytes(study->baseline->timeline, study->opportunities->stashed));
  }
}

TEST(NodeStashes, BytesAreThoseWithoutPlans) {
  const auto model = test::named(test::blocks(3));
  const auto before = stashes_of(*test::study_of(model, 0));
  const auto after = stashes_of(*test::study_of(model, 1));
  for (const NodeId node : IdRange<NodeId>(before.size())) {
    EXPECT_EQ(before[node].bytes, after[node].bytes);
    EXPECT_EQ(before[node].state == StashState::none, after[node].state == StashState::none);
  }
}

}  // namespace node_stash_test
}  // namespace stashscope
