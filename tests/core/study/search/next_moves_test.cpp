#include "core/study/search/next_moves.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <tuple>

#include "core/base/error.h"
#include "core/onnx/model_file.h"
#include "core/study/edits/edits.h"
#include "core/study/reserved/reserved_memory.h"
#include "tests/support/named_model.h"
#include "tests/support/thinned.h"

namespace stashscope {
namespace next_moves_test {

constexpr std::size_t all = 1000;

using What = std::tuple<const GraphPass*, const WhatIf*, std::string, std::size_t>;

What what_of(const NextMove& move) { return {move.pass, move.what_if, move.value, move.row}; }

bool is_row(const NextMove& move) { return move.pass == nullptr && move.what_if == nullptr; }

std::string words_of(const NextMove& move) {
  return is_row(move) ? "row " + std::to_string(move.row) : title_of(move);
}

/// The passes that find nothing to change when all passes that keep the outputs are on: other
/// passes contain them.
std::set<std::string> contained_passes(const Study& study) {
  Choices every = study.choices;
  add_passes("all", every);
  std::set<std::string> contained;
  const auto all_on = compute_study(study.model, every, nullptr, Progress());
  for (const PassResult& each : all_on->prepared->step.passes) {
    if (each.changed == 0) contained.insert(each.name);
  }
  return contained;
}

/// The move with the change of peak and time that a study from scratch has.
NextMove with_effect(NextMove move, const Study& study) {
  const auto moved = compute_study(study.model, move.after, nullptr, Progress());
  move.peak_change = moved->current->timeline.peak_bytes - study.current->timeline.peak_bytes;
  move.seconds_change = step_seconds(*moved, *moved->current) - step_seconds(study, *study.current);
  return move;
}

/// Adds the effect of every pass that is off, keeps the outputs and is in no other pass.
void add_pass_moves(const Study& study, std::vector<NextMove>& moves) {
  const std::set<std::string> contained = contained_passes(study);
  for (const GraphPass& pass : graph_passes()) {
    const std::string name(pass.name);
    if (!pass.among_all || study.choices.graph.passes.contains(name)) continue;
    if (contained.contains(name)) continue;
    Choices after = study.choices;
    after.graph.passes.emplace(pass.name);
    NextMove move;
    move.pass = &pass;
    move.after = std::move(after);
    moves.push_back(with_effect(std::move(move), study));
  }
}

/// Adds the effect of every value of every what-if.
void add_what_if_moves(const Study& study, std::vector<NextMove>& moves) {
  for (const WhatIf& what_if : what_ifs()) {
    for (const std::string_view value : what_if.tried) {
      NextMove move;
      move.what_if = &what_if;
      move.value = value;
      move.after = with_what_if(study.choices, what_if.name, value);
      try {
        moves.push_back(with_effect(std::move(move), study));
      } catch (const Error&) {
        continue;  // the sizes of the study do not allow it
      }
    }
  }
}

/// The effect of every row and of every pass that is off, computed one by one.
std::vector<NextMove> all_moves(const Study& study) {
  std::vector<NextMove> moves;
  for (std::size_t row = 0; row < study.plan_table->plans.size(); ++row) {
    const PlanRow& plan = study.plan_table->plans[row];
    if (plan.on) continue;
    Choices after = with_plan(study, study.choices, plan, true);
    const auto moved = compute_study(study.model, after, &study, Progress());
    NextMove move;
    move.row = row;
    move.after = std::move(after);
    move.peak_change = moved->current->timeline.peak_bytes - study.current->timeline.peak_bytes;
    move.seconds_change = extra_seconds(*moved) - extra_seconds(study);
    moves.push_back(std::move(move));
  }
  add_pass_moves(study, moves);
  add_what_if_moves(study, moves);
  return moves;
}

bool is_better(const NextMove& a, const NextMove& b) {
  return a.peak_change <= b.peak_change && a.seconds_change <= b.seconds_change &&
         (a.peak_change < b.peak_change || a.seconds_change < b.seconds_change);
}

/// Whether a move before `move` is another value of its what-if, is not beaten itself, frees about
/// as much and is not slower.
bool is_repeated(const std::vector<NextMove>& all_moves, const NextMove& move, std::int64_t unit) {
  const auto repeats = [&](const NextMove& other) {
    const bool is_beaten = std::ranges::any_of(
        all_moves, [&](const NextMove& better) { return is_better(better, other); });
    return &other < &move && other.what_if != nullptr && other.what_if == move.what_if &&
           !is_beaten && other.peak_change < 0 && other.peak_change <= move.peak_change + unit &&
           other.seconds_change <= move.seconds_change;
  };
  return std::ranges::any_of(all_moves, repeats);
}

/// Checks the moves against the effects of all rows. Returns the number of moves.
std::size_t expect_right(const Study& study) {
  const std::vector<NextMove> moves = next_moves(study, all, Progress());
  const std::vector<NextMove> expected = all_moves(study);
  for (const NextMove& move : moves) {
    const auto same = std::ranges::find(expected, what_of(move), what_of);
    if (same == expected.end()) {
      ADD_FAILURE() << words_of(move) << " is on";
      continue;
    }
    EXPECT_LT(move.peak_change, 0);
    EXPECT_EQ(move.peak_change, same->peak_change);
    EXPECT_EQ(move.seconds_change, same->seconds_change);
    EXPECT_EQ(move.after, same->after);
    for (const NextMove& other : expected) EXPECT_FALSE(is_better(other, move));
  }
  for (const NextMove& each : expected) {
    const bool is_listed = std::ranges::find(moves, what_of(each), what_of) != moves.end();
    const bool is_beaten = std::ranges::any_of(
        expected, [&](const NextMove& other) { return is_better(other, each); });
    const bool is_worth_it =
        is_row(each) || -each.peak_change >= study.current->timeline.peak_bytes / 1000;
    const bool repeats = is_repeated(expected, each, study.current->timeline.peak_bytes / 1000);
    EXPECT_EQ(is_listed, each.peak_change < 0 && !is_beaten && !repeats && is_worth_it)
        << words_of(each);
  }
  return moves.size();
}

TEST(NextMoves, ChangeTheStepAsTheySayAndNoRowIsBetter) {
  std::size_t moves = expect_right(*test::study_of(test::named(test::blocks(3))));
  moves += expect_right(*test::study_of(test::named(test::mixed_precision(3))));
  for (const unsigned seed : {1U, 2U, 3U, 4U, 5U}) {
    moves += expect_right(*test::study_of(test::named(test::random_model(seed, 40))));
  }
  EXPECT_GT(moves, 5U);
}

TEST(NextMoves, SayWhatIsReservedAfterThemIfAnAllocatorIsChosen) {
  const auto plain = test::study_of(test::named(test::blocks(3)));
  for (const NextMove& move : next_moves(*plain, all, Progress())) {
    EXPECT_FALSE(move.reserved_bytes);
  }
  Choices choices = plain->choices;
  choices.allocator = "roundup_power2_divisions:4";
  const auto study = compute_study(plain->model, choices, plain.get(), Progress());
  const std::vector<NextMove> moves = next_moves(*study, all, Progress());
  ASSERT_FALSE(moves.empty());
  for (const NextMove& move : moves) {
    const auto moved = compute_study(study->model, move.after, nullptr, Progress());
    EXPECT_EQ(move.reserved_bytes,
              reserved_memory(*moved, *moved->current, parse_allocator_settings(*choices.allocator))
                  .reserved_bytes);
  }
}

TEST(NextMoves, AreTheCheapestFirstAndNotMoreThanAskedFor) {
  const auto study = test::study_of(test::named(test::random_model(1, 60)));
  const std::vector<NextMove> moves = next_moves(*study, all, Progress());
  ASSERT_GT(moves.size(), 1U);
  const auto price = [](const NextMove& move) {
    return std::pair(std::max(move.seconds_change, 0.0) / static_cast<double>(-move.peak_change),
                     move.seconds_change > 0 ? 0 : move.peak_change);
  };
  EXPECT_TRUE(std::ranges::is_sorted(moves, {}, price));
  EXPECT_EQ(next_moves(*study, 1, Progress()).size(), 1U);
}

/// Layers with a SiLU of two operators, whose backward reads two tensors; the fused operator's
/// reads one.
std::shared_ptr<const Study> with_silu() {
  test::ModelBuilder m;
  m.input("x", {64, 64});
  std::string last = "x";
  for (const std::string layer : {"a", "b", "c"}) {
    m.weight(layer + "w", {64, 64}).node("MatMul", {last, layer + "w"}, {layer + "p"});
    m.node("Sigmoid", {layer + "p"}, {layer + "s"});
    m.node("Mul", {layer + "p", layer + "s"}, {layer + "y"});
    last = layer + "y";
  }
  m.output(last);
  return compute_study(test::named(m), Choices(), nullptr, Progress());
}

TEST(NextMoves, OfferAPassThatFreesMemoryAndTakesNoTime) {
  const auto study = with_silu();
  const std::vector<NextMove> moves = next_moves(*study, all, Progress());
  const auto fused = std::ranges::find(moves, &find_pass("fuse_gelu"), &NextMove::pass);
  ASSERT_NE(fused, moves.end());
  EXPECT_LE(fused->seconds_change, 0);
  EXPECT_EQ(&*fused, &moves.front()) << "what costs nothing comes first";
  const auto after = compute_study(study->model, fused->after, study.get(), Progress());
  EXPECT_EQ(after->current->timeline.peak_bytes,
            study->current->timeline.peak_bytes + fused->peak_change);
  for (const GraphPass* const left : passes_to_try(*after, all)) {
    EXPECT_NE(left, fused->pass) << "it is on";
  }
}

TEST(NextMoves, TryOnlySoManyPasses) {
  const auto study = with_silu();
  ASSERT_GT(passes_to_try(*study, all).size(), 0U);
  EXPECT_EQ(passes_to_try(*study, 1).size(), 1U);
  EXPECT_TRUE(passes_to_try(*study, 0).empty());
  for (const NextMove& move : next_moves(*study, all, Progress(), {all, 0})) {
    EXPECT_TRUE(is_row(move));
  }
}

TEST(NextMoves, OfferNoPassWhileTimesAreMeasured) {
  const auto study = with_silu();
  EXPECT_FALSE(passes_to_try(*study, all).empty());
  Measurement run;
  run.device = "cpu";
  run.node_seconds.assign(study->current->timeline.order.size(), 0.001);
  EXPECT_TRUE(passes_to_try(*with_measured_times(*study, run, run), all).empty());
}

TEST(NextMoves, AreNoneForAPlannedSequence) {
  auto study = test::study_of(test::named(test::blocks(2)));
  Choices choices = study->choices;
  choices.plans.sequence.emplace();
  study = compute_study(study->model, choices, study.get(), Progress());
  EXPECT_TRUE(next_moves(*study, all, Progress()).empty());
}

TEST(NextMoves, EndWhenNoPlanLowersThePeakAnyMore) {
  auto study = test::study_of(test::named(test::blocks(2)));
  for (int step = 0; step < 100; ++step) {
    const std::vector<NextMove> moves = next_moves(*study, 1, Progress());
    if (moves.empty()) {
      EXPECT_GT(step, 0);
      return;
    }
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

/// A model of the folder with reference models, if it is there.
class NextMovesOf : public testing::TestWithParam<std::filesystem::path> {};

std::vector<std::filesystem::path> reference_models() {
  std::vector<std::filesystem::path> files;
  for (const char* const folder : {"small", "exported"}) {
    std::error_code none;
    const std::filesystem::path models =
        std::filesystem::path(STASHSCOPE_SHARED "/models") / folder;
    for (const auto& model : std::filesystem::directory_iterator(models, none)) {
      if (std::filesystem::exists(model.path() / "model.onnx")) files.push_back(model.path());
    }
  }
  std::ranges::sort(files);
  return files;
}

TEST_P(NextMovesOf, AModelChangeItsStepAsTheySayAndNoRowIsBetter) {
  const auto model = std::make_shared<const Graph>(load_model(GetParam() / "model.onnx"));
  expect_right(*compute_study(model, Choices(), nullptr, Progress()));
}

INSTANTIATE_TEST_SUITE_P(Reference, NextMovesOf,
                         testing::ValuesIn(test::thinned(reference_models())),
                         [](const auto& info) { return info.param.filename().string(); });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(NextMovesOf);

}  // namespace next_moves_test
}  // namespace stashscope
