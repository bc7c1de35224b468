#include "core/study/search/next_moves.h"

#include <gtest/gtest.h>

#include "core/study/facts/plan_facts.h"
#include "tests/support/named_model.h"

namespace stashscope {
namespace next_moves_test {

constexpr std::size_t all = 1000;

/// Checks that every move changes the step as it says, and that no row that is off dominates it.
void expect_right(const Study& study) {
  const std::vector<NextMove> moves = next_moves(study, all, Progress());
  const std::int64_t peak = study.current->timeline.peak_bytes;
  for (const NextMove& move : moves) {
    const auto moved = compute_study(study.model, move.after, &study, Progress());
    EXPECT_TRUE(plan_row(*moved, move.row).on);
    EXPECT_LT(move.peak_change, 0);
    EXPECT_EQ(moved->current->timeline.peak_bytes - peak, move.peak_change);
    EXPECT_EQ(extra_seconds(*moved) - extra_seconds(study), move.seconds_change);
    for (const NextMove& other : moves) {
      const bool is_better =
          other.peak_change <= move.peak_change && other.seconds_change <= move.seconds_change &&
          (other.peak_change < move.peak_change || other.seconds_change < move.seconds_change);
      EXPECT_FALSE(is_better);
    }
  }
}

TEST(NextMoves, ChangeTheStepAsTheySay) {
  for (const int level : {0, 1}) expect_right(*test::study_of(test::named(test::blocks(3)), level));
  expect_right(*test::study_of(test::named(test::mixed_precision(3))));
  for (const unsigned seed : {1U, 2U, 3U, 4U, 5U}) {
    expect_right(*test::study_of(test::named(test::random_model(seed, 40))));
  }
}

TEST(NextMoves, AreTheBestFirstAndNotMoreThanAskedFor) {
  const auto study = test::study_of(test::named(test::blocks(3)));
  const std::vector<NextMove> moves = next_moves(*study, all, Progress());
  ASSERT_FALSE(moves.empty());
  const std::vector<NextMove> first = next_moves(*study, 1, Progress());
  ASSERT_EQ(first.size(), 1U);
  EXPECT_EQ(first.front().row, moves.front().row);
}

TEST(NextMoves, AreNoneWhenEverythingIsOn) {
  auto study = test::study_of(test::named(test::blocks(2)));
  for (int step = 0; step < 100; ++step) {
    const std::vector<NextMove> moves = next_moves(*study, 1, Progress());
    if (moves.empty()) return;
    const std::int64_t before = study->current->timeline.peak_bytes;
    study = compute_study(study->model, moves.front().after, study.get(), Progress());
    ASSERT_LT(study->current->timeline.peak_bytes, before);
  }
  FAIL() << "the moves never end";
}

TEST(NextMoves, EndWhenCancelled) {
  const Progress progress;
  progress.cancel();
  EXPECT_THROW(next_moves(*test::study_of(test::named(test::blocks(2))), 1, progress), Error);
}

}  // namespace next_moves_test
}  // namespace stashscope
