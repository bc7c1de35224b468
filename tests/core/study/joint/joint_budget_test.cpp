// Joint answers beside recompute alone, smaller budgets, bounds and an exhaustive search.

#include "core/study/joint/joint_budget.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "core/onnx/model_file.h"
#include "core/study/joint/combinations.h"
#include "core/study/search/cluster_counts.h"
#include "core/study/search/plan_evaluator.h"
#include "core/study/step/plan_effects.h"
#include "tests/core/study/joint/joint_steps.h"
#include "tests/support/captured_chain.h"
#include "tests/support/model_builder.h"
#include "tests/support/named_model.h"
#include "tests/support/refusal.h"
#include "tests/support/sanitizer.h"
#include "tests/support/small_models.h"
#include "tests/support/thinned.h"

namespace stashscope {
namespace joint_budget_test {

constexpr std::int64_t all_moves = 2000;
constexpr std::int64_t moves = test::sanitized ? 400 : all_moves;
constexpr double rounding = 1e-10;  // sequences count whole picoseconds per run

using StudyPtr = std::shared_ptr<const Study>;
using test::share_of_peak;
using test::small_gpt2;

StudyPtr deep_study(int layers, Choices choices = {}) {
  choices.dims["N"] = 64;
  return compute_study(std::make_shared<const Graph>(test::deep_perceptron(layers).build()),
                       choices, nullptr, Progress());
}

BudgetRequest request_for(std::int64_t budget, std::int64_t limit = moves) {
  return {budget, PlanGranularity::joint, {0, limit, 1}};
}

BudgetAnswer planned(const StudyPtr& study, std::int64_t budget) {
  return plan_jointly(study, request_for(budget), Progress());
}

/// The time of the step that a search by cluster with as many moves finds without what-ifs; nothing
/// if it does not fit.
std::optional<double> recomputed_alone(const Study& study, std::int64_t budget) {
  ParetoFront front;
  search_for_budget(study, PlanGranularity::cluster, budget, {0, moves / 10, 1}, front, Progress());
  const ParetoPoint& best = front.best(budget);
  if (best.peak_bytes > budget) return std::nullopt;
  return step_seconds(study, *study.baseline) + best.extra_seconds;
}

/// Checks an answer against the study of its choices, and against its own bounds.
void expect_exact(const Study& asked, const BudgetAnswer& answer) {
  const auto after = compute_study(asked.model, answer.best.choices, nullptr, Progress());
  EXPECT_EQ(after->current->timeline.peak_bytes, answer.best.peak_bytes);
  EXPECT_EQ(answer.feasible, answer.best.peak_bytes <= answer.request.budget_bytes);
  ASSERT_NE(answer.joint, nullptr);
  EXPECT_DOUBLE_EQ(step_seconds(*after, *after->current), answer.joint->seconds);
  EXPECT_DOUBLE_EQ(extra_seconds(*after), answer.best.extra_seconds);
  EXPECT_LE(answer.joint->floor_bytes, answer.best.peak_bytes);
  EXPECT_LE(answer.joint->least_seconds, answer.joint->seconds);
}

TEST(JointBudget, AnswersAreExactAndNeverDearerThanRecomputeAlone) {
  const auto study = small_gpt2();
  int with_what_ifs = 0;
  for (const int percent : {100, 80, 60, 40, 30}) {
    const std::int64_t budget = share_of_peak(*study, percent);
    const BudgetAnswer answer = planned(study, budget);
    expect_exact(*study, answer);
    EXPECT_TRUE(answer.feasible) << percent;
    with_what_ifs += answer.best.choices.graph.what_ifs.empty() ? 0 : 1;
    const auto alone = recomputed_alone(*study, budget);
    if (!alone) continue;
    EXPECT_LE(answer.joint->seconds, *alone + rounding) << percent;
  }
  EXPECT_GT(with_what_ifs, 0);
}

TEST(JointBudget, IsMonotoneInTheBudget) {
  for (const auto& study : {small_gpt2(), deep_study(6)}) {
    double on_grid = -1;  // seconds for the largest multiple of 10 % so far
    for (const int percent : {30, 33, 40, 43, 60, 62, 80, 100}) {
      const BudgetAnswer answer = planned(study, share_of_peak(*study, percent));
      EXPECT_TRUE(answer.joint->is_complete);
      if (on_grid >= 0) {
        EXPECT_TRUE(answer.feasible) << percent;
        EXPECT_LE(answer.joint->seconds, on_grid) << percent;
      }
      if (percent % 10 == 0 && answer.feasible) on_grid = answer.joint->seconds;
    }
    EXPECT_GE(on_grid, 0);
  }
}

TEST(JointBudget, AnswersAreTheSameForTheSameMoves) {
  const auto study = small_gpt2();
  const std::int64_t budget = share_of_peak(*study, 45);
  EXPECT_EQ(planned(study, budget).best.choices, planned(study, budget).best.choices);
}

/// The least seconds of a step within a budget, over all counts of clusters and evicted operators
/// of a combination; nothing if none fits.
std::optional<double> least_seconds(const Combination& combination, std::int64_t budget,
                                    const std::vector<PlanType>& evictions) {
  const Study& study = *combination.study;
  const ClusterOptions options(study, evictions);
  const PlanEvaluator evaluator(study);
  std::optional<double> least;
  const std::function<void(Counts&, std::size_t)> try_all = [&](Counts& counts, std::size_t i) {
    if (i < counts.size()) {
      for (std::uint32_t option = 0; option < options.options(i); ++option) {
        for (std::uint32_t count = 0; count <= options.most(i, option); ++count) {
          counts[i] = {option, count};
          try_all(counts, i + 1);
        }
      }
      return;
    }
    const auto outcome = evaluator.evaluate(options.config_of(counts));
    if (outcome.peak_bytes > budget) return;
    const double seconds = step_seconds(study, *study.baseline) + outcome.extra_seconds;
    least = std::min(least.value_or(seconds), seconds);
  };
  Counts counts = options.none();
  try_all(counts, 0);
  return least;
}

/// With the faster link, offloaded tensors cost about as much as nodes that run again.
class JointBudgetOfLinks : public testing::TestWithParam<std::tuple<double, bool>> {};

TEST_P(JointBudgetOfLinks, IsAsGoodAsAnExhaustiveSearchAndItsBoundHolds) {
  Choices choices;
  choices.times.transfer_bandwidth = std::get<double>(GetParam());
  choices.plans.overlaps_copies = std::get<bool>(GetParam());
  const auto study = deep_study(4, choices);
  const Combinations found = find_combinations(*study, {0, false, {0, 1, 1}}, Progress());
  EXPECT_GT(found.all.size(), 4U);
  int compared = 0;
  for (const int percent : test::thinned(std::vector{95, 90, 80, 70, 60, 50, 40})) {
    const std::int64_t budget = share_of_peak(*study, percent);
    std::optional<double> least;
    for (const Combination& each : found.all) {
      const auto here = least_seconds(each, budget, {PlanType::offload});
      if (here) least = std::min(least.value_or(*here), *here);
    }
    // Fewer moves may miss the best step.
    const BudgetAnswer answer = plan_jointly(study, request_for(budget, all_moves), Progress());
    expect_exact(*study, answer);
    if (!least) continue;
    ASSERT_TRUE(answer.feasible) << percent;
    EXPECT_LE(answer.joint->seconds, *least + rounding) << percent;
    EXPECT_LE(answer.joint->least_seconds, *least + rounding) << percent;
    ++compared;
  }
  EXPECT_GE(compared, test::sanitized ? 1 : 3);
}

const std::vector<double> links = test::thinned(std::vector{3e10, 1e11, 1e13});
INSTANTIATE_TEST_SUITE_P(BytesPerSecondAndOverlap, JointBudgetOfLinks,
                         testing::Combine(testing::ValuesIn(links), testing::Bool()));

/// Peaks do not depend on the overlap, and times are never longer with it.
TEST(JointBudget, IsNeverSlowerWithOverlap) {
  Choices choices;
  choices.times.transfer_bandwidth = 1e11;
  choices.graph.what_ifs = {{"micro", "1"}};
  const auto serial = deep_study(6, choices);
  choices.plans.overlaps_copies = true;
  const auto overlapping = deep_study(6, choices);
  int faster = 0;
  double smaller = -1;  // seconds for the budget before
  for (const int percent : {50, 60, 70, 80, 90}) {
    const std::int64_t budget = share_of_peak(*serial, percent);
    const BudgetAnswer with = planned(overlapping, budget);
    const BudgetAnswer without = planned(serial, budget);
    expect_exact(*overlapping, with);
    EXPECT_EQ(with.feasible, without.feasible);
    if (!with.feasible) continue;
    EXPECT_LE(with.joint->seconds, without.joint->seconds + rounding) << percent;
    if (smaller >= 0) {
      EXPECT_LE(with.joint->seconds, smaller) << percent;
    }
    smaller = with.joint->seconds;
    faster += with.joint->seconds < without.joint->seconds - rounding ? 1 : 0;
    const auto alone = recomputed_alone(*overlapping, budget);
    if (alone) {
      EXPECT_LE(with.joint->seconds, *alone + rounding) << percent;
    }
  }
  EXPECT_GT(faster, 0);
}

/// The times of steps with overlap are sums whose rounding differs.
TEST(JointBudget, ExplainsHiddenCopiesWithoutRounding) {
  Choices choices = small_gpt2()->choices;
  choices.graph.what_ifs = {{"attention", "flash"}, {"micro", "1"}};
  choices.times.transfer_bandwidth = 2e12;
  choices.plans.overlaps_copies = true;
  choices.times.host_memory = 300 << 10;
  const auto study = compute_study(small_gpt2()->model, choices, nullptr, Progress());
  const BudgetAnswer answer =
      plan_jointly(study, request_for(share_of_peak(*study, 45), 4000), Progress());
  int offloads = 0;
  for (const ExplainedChoice& each : answer.joint->explanation) {
    offloads += each.kind == ExplainedChoice::Kind::offload ? 1 : 0;
    EXPECT_TRUE(each.seconds == 0 || std::abs(each.seconds) > 1e-12) << each.sentence;
  }
  EXPECT_GT(offloads, 0);
}

/// A step of six layers in one piece, for which offloading pays.
StudyPtr fast_link_step(std::optional<std::int64_t> host_memory = {}) {
  Choices choices;
  choices.times.transfer_bandwidth = 1e15;
  choices.times.host_memory = host_memory;
  choices.graph.what_ifs = {{"micro", "1"}};
  return deep_study(6, choices);
}

/// Where offloading pays, less memory of the host makes a step slower, and the answer says why.
TEST(JointBudget, KeepsTheMemoryOfTheHost) {
  const auto free = fast_link_step();
  const std::int64_t budget = share_of_peak(*free, 80);
  const BudgetAnswer unlimited = planned(free, budget);
  ASSERT_GT(unlimited.best.host_bytes, 0);
  EXPECT_FALSE(unlimited.left_out_for_host);
  int slower = 0;
  for (const std::int64_t limit : {unlimited.best.host_bytes - 1, std::int64_t{1}}) {
    const BudgetAnswer answer = planned(fast_link_step(limit), budget);
    ASSERT_TRUE(answer.feasible);
    EXPECT_LE(answer.best.host_bytes, limit);
    EXPECT_GE(answer.joint->seconds, unlimited.joint->seconds);
    if (answer.joint->seconds > unlimited.joint->seconds) {
      ++slower;
      ASSERT_TRUE(answer.left_out_for_host);
      EXPECT_GT(answer.left_out_for_host->host_bytes, limit);
      EXPECT_LE(answer.left_out_for_host->peak_bytes, budget);
    }
  }
  EXPECT_GT(slower, 0);
  const BudgetAnswer enough = planned(fast_link_step(unlimited.best.host_bytes), budget);
  EXPECT_EQ(enough.joint->seconds, unlimited.joint->seconds);
}

/// A step that keeps too much on the host is no candidate.
TEST(JointBudget, DropsTensorsThatTheHostHasNoRoomFor) {
  Choices choices;
  choices.plans.config = parse_config("MatMul:3:-1");
  choices.times.host_memory = 1;
  const auto study = deep_study(4, choices);
  ASSERT_GT(study->current->host_bytes, 1);
  const BudgetAnswer answer = planned(study, share_of_peak(*study, 100));
  EXPECT_TRUE(answer.feasible);
  EXPECT_LE(answer.best.host_bytes, 1);
}

TEST(JointBudget, ItsBoundHoldsForCompressedTensors) {
  Choices choices;
  choices.graph.what_ifs = {{"micro", "1"}};
  const auto study = deep_study(3, choices);
  const Combination own = own_combination(*study);
  int compared = 0;
  for (const int percent : {90, 80, 70, 60, 50}) {
    BudgetRequest request = request_for(share_of_peak(*study, percent));
    request.may_change_results = true;
    const auto least =
        least_seconds(own, request.budget_bytes, {PlanType::offload, PlanType::compress});
    if (!least) continue;
    const BudgetAnswer answer = plan_jointly(study, request, Progress());
    ASSERT_TRUE(answer.feasible) << percent;
    EXPECT_LE(answer.joint->seconds, *least + rounding) << percent;
    EXPECT_LE(answer.joint->least_seconds, *least + rounding) << percent;
    EXPECT_LE(answer.joint->floor_bytes, request.budget_bytes);
    ++compared;
  }
  EXPECT_GE(compared, 3);
}

/// Another link makes offloaded tensors cheap, so that they are part of answers and of bounds.
TEST(JointBudget, OffloadsWhereTheLinkIsFast) {
  const auto study = fast_link_step();
  const std::int64_t budget = share_of_peak(*study, 80);
  const BudgetAnswer answer = planned(study, budget);
  expect_exact(*study, answer);
  ASSERT_TRUE(answer.feasible);
  EXPECT_FALSE(own_part(answer.best.choices.plans.config).empty());
  const auto& explanation = answer.joint->explanation;
  EXPECT_TRUE(std::ranges::any_of(explanation, [](const ExplainedChoice& each) {
    return each.kind == ExplainedChoice::Kind::offload && each.is_made;
  }));
}

TEST(JointBudget, CompressesOnlyIfResultsMayChange) {
  Choices unsplit;
  unsplit.graph.what_ifs = {{"micro", "1"}};  // stays on, so that only plans can free bytes
  const auto study = deep_study(6, unsplit);
  const std::int64_t budget = share_of_peak(*study, 35);
  const auto compresses = [&](const BudgetAnswer& answer) {
    return std::ranges::any_of(answer.best.choices.plans.config, [](const auto& entry) {
      return entry.second.type == PlanType::compress;
    });
  };
  EXPECT_FALSE(compresses(planned(study, budget)));
  Choices on = study->choices;
  on.plans.config["Gelu"] = {PlanType::compress, -1, false};
  const auto compressed = compute_study(study->model, on, nullptr, Progress());
  BudgetRequest request = request_for(compressed->current->timeline.peak_bytes);
  request.may_change_results = true;
  const BudgetAnswer lossy = plan_jointly(study, request, Progress());
  ASSERT_TRUE(lossy.feasible);
  EXPECT_LE(lossy.joint->seconds, step_seconds(*compressed, *compressed->current) + rounding);
}

/// A model in which the samples of a batch meet: a batch normalization in training mode.
test::ModelBuilder normalized_layers() {
  test::ModelBuilder m;
  m.input("x", {"N", 16});
  std::string last = "x";
  for (const std::string layer : {"a", "b", "c"}) {
    m.weight(layer + "w", {16, 16}).node("MatMul", {last, layer + "w"}, {layer + "p"});
    for (const char* const part : {"s", "t", "u", "v"}) m.weight(layer + part, {16});
    m.node("BatchNormalization", {layer + "p", layer + "s", layer + "t", layer + "u", layer + "v"},
           {layer + "n", layer + "m1", layer + "v1"}, {{"training_mode", std::int64_t{1}}});
    m.node("Gelu", {layer + "n"}, {layer + "g"}, {}, "com.microsoft");
    last = layer + "g";
  }
  m.node("ReduceMean", {last}, {"loss"}, {{"keepdims", std::int64_t{0}}});
  return m.output("loss");
}

TEST(JointBudget, SplitsNormalizedBatchesOnlyIfResultsMayChange) {
  Choices choices;
  choices.dims["N"] = 4096;
  const auto study = compute_study(std::make_shared<const Graph>(normalized_layers().build()),
                                   choices, nullptr, Progress());
  BudgetRequest request = request_for(share_of_peak(*study, 40));
  const BudgetAnswer strict = plan_jointly(study, request, Progress());
  EXPECT_FALSE(strict.best.choices.graph.what_ifs.contains("micro"));
  const auto left_out = std::ranges::find_if(
      strict.joint->explanation, [](const ExplainedChoice& each) { return !each.is_made; });
  ASSERT_NE(left_out, strict.joint->explanation.end());
  EXPECT_EQ(left_out->choice, "micro=2");
  EXPECT_GT(left_out->saving_bytes, 0);
  EXPECT_TRUE(left_out->changes_results);
  EXPECT_NE(left_out->sentence.find("changes results"), std::string::npos) << left_out->sentence;
  request.may_change_results = true;
  const BudgetAnswer lossy = plan_jointly(study, request, Progress());
  EXPECT_TRUE(lossy.best.choices.graph.what_ifs.contains("micro"));
  EXPECT_TRUE(lossy.feasible);
}

TEST(JointBudget, KeepsWhatIsOnAndSearchesFromThere) {
  const auto study = small_gpt2({{"attention", "efficient"}});
  for (const int percent : {100, 50}) {
    const BudgetAnswer answer = planned(study, share_of_peak(*study, percent));
    expect_exact(*study, answer);
    EXPECT_TRUE(answer.best.choices.graph.what_ifs.contains("attention"));
    if (percent == 100) {
      EXPECT_LE(answer.joint->seconds, step_seconds(*study, *study->current));
    }
  }
}

TEST(JointBudget, TimesAreThoseThatWereMeasured) {
  const auto predicted = small_gpt2();
  Measurement run;
  run.device = "cpu";
  run.node_seconds.assign(predicted->baseline->timeline.order.size(), 1);
  const auto study = with_measured_times(*predicted, run, run);
  const BudgetAnswer answer = planned(study, share_of_peak(*study, 60));
  const auto after = compute_study(study->model, answer.best.choices, study.get(), Progress());
  EXPECT_TRUE(answer.feasible);
  EXPECT_DOUBLE_EQ(answer.joint->seconds, step_seconds(*after, *after->current));
  EXPECT_GE(answer.joint->seconds, answer.joint->seconds_before) << "plans alone add time";
  EXPECT_GE(answer.joint->least_seconds, answer.joint->seconds_before);
}

TEST(JointBudget, ABatchWithLargePrimeFactorsIsSplitIntoThem) {
  const auto study = small_gpt2({}, 11);
  const auto split = small_gpt2({{"micro", "11"}}, 11);
  const BudgetAnswer answer = planned(study, split->current->timeline.peak_bytes);
  expect_exact(*study, answer);
  EXPECT_TRUE(answer.feasible);
  EXPECT_EQ(answer.best.choices.graph.what_ifs.at("micro"), "11");
}

TEST(JointBudget, ABudgetThatNothingMeetsHasTheLowestPeakFound) {
  const auto study = small_gpt2();
  const BudgetAnswer answer = planned(study, 1000);
  expect_exact(*study, answer);
  EXPECT_FALSE(answer.feasible);
  EXPECT_TRUE(answer.is_impossible());
  EXPECT_LT(answer.best.peak_bytes, share_of_peak(*study, 40));
}

TEST(JointBudget, BoundsHoldForSmallModels) {
  constexpr int every = test::sanitized ? 4 : 1;
  int compared = 0;
  int seen = 0;
  for (const std::string& name : test::small_models()) {
    if (name == "none") GTEST_SKIP() << "no models in " STASHSCOPE_SHARED;
    if (seen++ % every != 0) continue;
    const auto model = std::make_shared<const Graph>(
        load_model(STASHSCOPE_SHARED "/models/small/" + name + "/model.onnx"));
    const auto study = compute_study(model, Choices(), nullptr, Progress());
    if (!study->prepared->step.no_backward.empty()) continue;
    const std::int64_t budget = share_of_peak(*study, 60);
    const BudgetAnswer answer = plan_jointly(study, request_for(budget, 100), Progress());
    SCOPED_TRACE(name);
    expect_exact(*study, answer);
    compared += answer.feasible ? 1 : 0;
  }
  EXPECT_GT(compared, 10 / every);
}

TEST(JointBudget, IsRefusedForACapturedStepAndForReservedMemory) {
  const auto captured = test::captured_study(test::CapturedChain(3).data());
  EXPECT_NE(test::refusal(ErrorKind::usage, [&] { planned(captured, 1000); }), "accepted");
  BudgetRequest request = request_for(1000);
  request.allocator = AllocatorSettings();
  EXPECT_NE(
      test::refusal(ErrorKind::usage, [&] { plan_jointly(deep_study(2), request, Progress()); }),
      "accepted");
  ParetoFront archive;
  EXPECT_NE(
      test::refusal(ErrorKind::usage,
                    [&] { plan_for_budget(*deep_study(2), request_for(1), archive, Progress()); }),
      "accepted");
}

TEST(JointBudget, EndsWhenCancelled) {
  const auto study = deep_study(4);
  const Progress progress;
  progress.cancel();
  const BudgetAnswer answer = plan_jointly(study, request_for(1), progress);
  EXPECT_EQ(answer.best.choices, study->choices);
  EXPECT_FALSE(answer.joint->is_complete);
}

}  // namespace joint_budget_test
}  // namespace stashscope
