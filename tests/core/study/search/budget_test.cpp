// Plans for a budget, compared with an exhaustive search over all configurations.

#include "core/study/search/budget.h"

#include <gtest/gtest.h>

#include <map>

#include "core/onnx/model_file.h"
#include "core/study/search/cluster_counts.h"
#include "core/study/search/plan_evaluator.h"
#include "tests/support/model_builder.h"
#include "tests/support/refusal.h"

namespace stashscope {
namespace budget_test {

constexpr SearchLimit few_moves{0, 20'000, 1};

std::shared_ptr<const Study> deep_study(int layers, Choices choices = {}) {
  choices.dims["N"] = 64;
  return compute_study(std::make_shared<const Graph>(test::deep_perceptron(layers).build()),
                       choices, nullptr, Progress());
}

BudgetAnswer planned(const Study& study, std::int64_t budget, PlanGranularity grain) {
  ParetoFront archive;
  return plan_for_budget(study, {budget, grain, few_moves}, archive, Progress());
}

std::int64_t share_of_peak(const Study& study, double share) {
  return static_cast<std::int64_t>(share *
                                   static_cast<double>(study.baseline->timeline.peak_bytes));
}

/// The lowest extra seconds over all cluster counts within a budget, or -1 if none fits.
double least_seconds(const Study& study, std::int64_t budget) {
  const ClusterOptions options(study);
  const PlanEvaluator evaluator(study);
  double least = -1;
  const auto look = [&](const Counts& counts) {
    const auto outcome = evaluator.evaluate(options.config_of(counts));
    if (outcome.peak_bytes > budget) return;
    if (least < 0 || outcome.extra_seconds < least) least = outcome.extra_seconds;
  };
  const std::function<void(Counts&, std::size_t)> try_all = [&](Counts& counts, std::size_t i) {
    if (i == counts.size()) return look(counts);
    for (std::uint32_t option = 0; option < options.options(i); ++option) {
      for (std::uint32_t count = 0; count <= options.most(i, option); ++count) {
        counts[i] = {option, count};
        try_all(counts, i + 1);
      }
    }
  };
  Counts counts = options.none();
  try_all(counts, 0);
  return least;
}

TEST(Budget, IsMetByTheCheapestClusters) {
  const auto study = deep_study(8);
  int with_plans = 0;
  for (const double share : {0.95, 0.9, 0.85, 0.8, 0.7}) {
    const std::int64_t budget = share_of_peak(*study, share);
    Choices other = study->choices;
    other.plans.search.layer_boundary = true;
    const auto bounded = compute_study(study->model, other, study.get(), Progress());
    double least = least_seconds(*study, budget);
    if (const double there = least_seconds(*bounded, budget); there >= 0) {
      least = least < 0 ? there : std::min(least, there);
    }
    const BudgetAnswer answer = planned(*study, budget, PlanGranularity::cluster);
    EXPECT_EQ(answer.feasible, least >= 0) << share;
    if (least < 0) continue;
    EXPECT_NEAR(answer.best.extra_seconds, least, 1e-12) << share;
    EXPECT_LE(*answer.least_extra_seconds, least + 1e-12);
    with_plans += least > 0 ? 1 : 0;
  }
  EXPECT_GT(with_plans, 1);
}

/// A random choice of clusters and counts.
Counts random_counts(const ClusterOptions& options, SearchRandom& random) {
  Counts counts = options.none();
  for (std::size_t i = 0; i < options.size(); ++i) {
    if (random.below(2) == 0) continue;
    counts[i].option = random.below(options.options(i));
    counts[i].count = random.below(options.most(i, counts[i].option) + 1);
  }
  return counts;
}

TEST(Budget, IsMetAsCheaplyAsByAnyRandomClusters) {
  Choices choices;
  choices.dims["inputs_input_ids_dim0"] = 16;
  const auto study =
      compute_study(std::make_shared<const Graph>(load_model(STASHSCOPE_SAMPLES "/gpt2_tiny.onnx")),
                    choices, nullptr, Progress());
  const ClusterOptions options(*study);
  const PlanEvaluator evaluator(*study);
  SearchRandom random(1);
  std::map<std::int64_t, double> cheapest;  // by peak
  for (int i = 0; i < 200; ++i) {
    const auto outcome = evaluator.evaluate(options.config_of(random_counts(options, random)));
    const auto [known, is_new] = cheapest.emplace(outcome.peak_bytes, outcome.extra_seconds);
    if (!is_new) known->second = std::min(known->second, outcome.extra_seconds);
  }
  ParetoFront archive;
  int looked_at = 0;
  for (auto each = cheapest.begin(); each != cheapest.end(); std::advance(each, 1)) {
    if (looked_at++ % 20 != 0) continue;
    const BudgetRequest request{each->first, PlanGranularity::cluster, {0, 2000, 1}};
    const BudgetAnswer answer = plan_for_budget(*study, request, archive, Progress());
    EXPECT_TRUE(answer.feasible);
    EXPECT_LE(answer.best.extra_seconds, each->second + 1e-12) << each->first;
  }
  EXPECT_GT(looked_at, 20);
}

TEST(Budget, IsSaidToBeOutOfReach) {
  const auto study = deep_study(4);
  for (const PlanGranularity grain :
       {PlanGranularity::cluster, PlanGranularity::node, PlanGranularity::sequence}) {
    const BudgetAnswer answer = planned(*study, 1000, grain);
    EXPECT_FALSE(answer.feasible);
    EXPECT_TRUE(answer.is_impossible());
    EXPECT_GE(answer.best.peak_bytes, answer.floor->bytes);
    std::int64_t there = answer.floor->persistent_bytes;
    for (const ValueId value : answer.floor->tensors) there += study->sizes->bytes[value];
    EXPECT_EQ(there, answer.floor->bytes);
    EXPECT_TRUE(answer.floor->node.valid());
  }
}

TEST(Budget, NeedsEachOfItsPlans) {
  const auto study = deep_study(8);
  const PlanEvaluator evaluator(*study);
  int with_plans = 0;
  for (const double share : {0.97, 0.9, 0.8, 0.7}) {
    for (const std::int64_t moves : {4, 40}) {
      ParetoFront archive;
      const BudgetRequest request{share_of_peak(*study, share), PlanGranularity::cluster,
                                  SearchLimit{0, moves, 1}};
      const BudgetAnswer answer = plan_for_budget(*study, request, archive, Progress());
      if (!answer.feasible || answer.best.choices.plans.search != study->choices.plans.search) {
        continue;
      }
      const RecomputeConfig& all = answer.best.choices.plans.config;
      for (const auto& [cluster, choice] : all) {
        ++with_plans;
        RecomputeConfig without = all;
        without.erase(cluster);
        EXPECT_GT(evaluator.evaluate(without).peak_bytes, request.budget_bytes)
            << share << " " << moves << " " << cluster;
      }
    }
  }
  EXPECT_GT(with_plans, 0);
}

TEST(Budget, OfTheWholePeakTakesNoPlans) {
  const auto study = deep_study(4);
  for (const PlanGranularity grain :
       {PlanGranularity::cluster, PlanGranularity::node, PlanGranularity::sequence}) {
    const BudgetAnswer answer = planned(*study, share_of_peak(*study, 1), grain);
    EXPECT_TRUE(answer.feasible);
    EXPECT_EQ(answer.best.extra_seconds, 0);
  }
}

TEST(Budget, FinerGrainsAreNoDearer) {
  const auto study = deep_study(8);
  const std::int64_t budget = share_of_peak(*study, 0.8);
  const double cluster = planned(*study, budget, PlanGranularity::cluster).best.extra_seconds;
  const double node = planned(*study, budget, PlanGranularity::node).best.extra_seconds;
  const double sequence = planned(*study, budget, PlanGranularity::sequence).best.extra_seconds;
  EXPECT_GT(cluster, 0);
  constexpr double rounding = 1e-10;  // sequences count whole picoseconds per run
  EXPECT_LE(node, cluster + rounding);
  EXPECT_LE(sequence, node + rounding);
}

TEST(Budget, AnswersAreTheSameForTheSameMoves) {
  const auto study = deep_study(6);
  for (const PlanGranularity grain :
       {PlanGranularity::cluster, PlanGranularity::node, PlanGranularity::sequence}) {
    const std::int64_t budget = share_of_peak(*study, 0.8);
    EXPECT_EQ(planned(*study, budget, grain).best.choices,
              planned(*study, budget, grain).best.choices);
  }
}

TEST(Budget, KeepsPlansThatPutTensorsAway) {
  Choices choices;
  choices.plans.config["Gelu"] = {PlanType::offload, 2, false};
  const auto study = deep_study(6, choices);
  const BudgetAnswer answer = planned(*study, share_of_peak(*study, 0.8), PlanGranularity::cluster);
  EXPECT_EQ(own_part(answer.best.choices.plans.config), choices.plans.config);
  EXPECT_FALSE(answer.floor);
  EXPECT_FALSE(answer.least_extra_seconds);
}

/// A view that no node reads, of a view that a later node reads.
TEST(Budget, UnreadViewsReadViews) {
  test::ModelBuilder m;
  m.input("x", {"N", 8}).input("labels", {"N"}, ElementType::int64).weight("w", {8, 8});
  m.int64s("axis", {0}).int64s("square", {-1, 8});
  m.node("MatMul", {"x", "w"}, {"h"}).node("Reshape", {"h", "square"}, {"read"});
  m.node("Unsqueeze", {"read", "axis"}, {"unread"});
  m.node("MatMul", {"x", "w"}, {"k"}).node("Gelu", {"k"}, {"g"}, {}, "com.microsoft");
  m.node("Add", {"g", "read"}, {"scores"});
  m.node("SoftmaxCrossEntropyLoss", {"scores", "labels"}, {"loss"});
  Choices choices;
  choices.dims["N"] = 64;
  const auto study = compute_study(std::make_shared<const Graph>(m.output("loss").build()), choices,
                                   nullptr, Progress());
  const std::int64_t budget = study->baseline->timeline.peak_bytes * 95 / 100;
  for (const PlanGranularity grain : {PlanGranularity::node, PlanGranularity::sequence}) {
    ParetoFront archive;
    const auto answer = plan_for_budget(*study, {budget, grain, few_moves}, archive, Progress());
    const auto there = compute_study(study->model, answer.best.choices, nullptr, Progress());
    EXPECT_EQ(there->current->timeline.peak_bytes, answer.best.peak_bytes) << name_of(grain);
  }
}

TEST(Budget, ProvesNothingOfFusedGroups) {
  Choices choices;
  choices.fusion.strategy = "dataflow";
  const auto study = deep_study(6, choices);
  const BudgetAnswer answer = planned(*study, share_of_peak(*study, 0.8), PlanGranularity::cluster);
  EXPECT_FALSE(answer.floor);
  EXPECT_FALSE(answer.least_extra_seconds);
  const auto with_plan = compute_study(study->model, answer.best.choices, study.get(), Progress());
  EXPECT_EQ(with_plan->current->timeline.peak_bytes, answer.best.peak_bytes);
}

/// The proofs that are reported before the first plan.
std::vector<BudgetProof> early_proofs(const Study& study, const BudgetRequest& request,
                                      BudgetAnswer& answer) {
  ParetoFront archive;
  std::vector<BudgetProof> proofs;
  std::size_t plans = 0;
  answer = plan_for_budget(
      study, request, archive, Progress(), [&](const ParetoPoint&) { ++plans; },
      [&](const BudgetProof& proof) {
        EXPECT_EQ(plans, 0U);
        proofs.push_back(proof);
      });
  return proofs;
}

TEST(Budget, ProofsAreToldBeforeThePlans) {
  const auto study = deep_study(8);
  double most = 0;
  for (const PlanGranularity grain :
       {PlanGranularity::cluster, PlanGranularity::node, PlanGranularity::sequence}) {
    BudgetAnswer answer;
    const std::int64_t budget = share_of_peak(*study, 0.8);
    const auto proofs = early_proofs(*study, {budget, grain, few_moves}, answer);
    ASSERT_EQ(proofs.size(), 1U);
    EXPECT_EQ(proofs[0].floor, *answer.floor);
    EXPECT_LE(proofs[0].least_extra_seconds, *answer.least_extra_seconds);
    EXPECT_LE(proofs[0].least_extra_seconds, answer.best.extra_seconds + 1e-9);
    most = std::max(most, proofs[0].least_extra_seconds);
  }
  EXPECT_GT(most, 0) << "some of it is known early";
}

TEST(Budget, OutOfReachOnlyTheFloorIsToldEarly) {
  const auto study = deep_study(4);
  BudgetAnswer answer;
  const auto proofs = early_proofs(*study, {1000, PlanGranularity::node, few_moves}, answer);
  ASSERT_EQ(proofs.size(), 1U);
  EXPECT_GT(proofs[0].floor.bytes, 1000);
  EXPECT_EQ(proofs[0].least_extra_seconds, 0);
}

TEST(Budget, OfFusedGroupsNoProofIsTold) {
  Choices choices;
  choices.fusion.strategy = "dataflow";
  const auto study = deep_study(6, choices);
  BudgetAnswer answer;
  const BudgetRequest request{share_of_peak(*study, 0.8), PlanGranularity::cluster, few_moves};
  EXPECT_TRUE(early_proofs(*study, request, answer).empty());
}

TEST(Budget, TakesWhatIsInForceAsACandidate) {
  const auto study = deep_study(6);
  const std::int64_t budget = share_of_peak(*study, 0.8);
  const BudgetAnswer first = planned(*study, budget, PlanGranularity::node);
  const auto again = compute_study(study->model, first.best.choices, study.get(), Progress());
  ParetoFront archive;
  const BudgetAnswer second =
      plan_for_budget(*again, {budget, PlanGranularity::node, {0, 1, 7}}, archive, Progress());
  EXPECT_TRUE(second.feasible);
  EXPECT_LE(second.best.extra_seconds, first.best.extra_seconds + 1e-12);
}

TEST(Budget, EndsWithItsBestWhenItIsCancelled) {
  const auto study = deep_study(6);
  const Progress progress;
  progress.cancel();
  for (const PlanGranularity grain :
       {PlanGranularity::cluster, PlanGranularity::node, PlanGranularity::sequence}) {
    ParetoFront archive;
    const BudgetAnswer answer =
        plan_for_budget(*study, {1000, grain, {0, 0, 1}}, archive, progress);
    EXPECT_LE(answer.best.peak_bytes, study->baseline->timeline.peak_bytes);
  }
}

TEST(PlanGranularity, IsFoundByName) {
  EXPECT_EQ(find_grain("node"), PlanGranularity::node);
  EXPECT_NE(test::refusal(ErrorKind::usage, [] { find_grain("atom"); }).find("sequence"),
            std::string::npos);
}

TEST(ParetoCurve, RisesNowhere) {
  const auto study = deep_study(8);
  for (const PlanGranularity grain :
       {PlanGranularity::cluster, PlanGranularity::node, PlanGranularity::sequence}) {
    ParetoFront archive;
    std::size_t seen = 0;
    const auto curve = pareto_curve(*study, grain, 6, {0, 60'000, 1}, archive, Progress(),
                                    [&](const ParetoPoint&) { ++seen; });
    ASSERT_GE(curve.size(), 3U) << name_of(grain);
    EXPECT_GE(seen, curve.size());
    EXPECT_EQ(curve.back().extra_seconds, 0);
    for (std::size_t i = 1; i < curve.size(); ++i) {
      EXPECT_GT(curve[i].peak_bytes, curve[i - 1].peak_bytes);
      EXPECT_LT(curve[i].extra_seconds, curve[i - 1].extra_seconds);
    }
    for (const ParetoPoint& point : curve) {
      const auto there = compute_study(study->model, point.choices, study.get(), Progress());
      EXPECT_EQ(there->current->timeline.peak_bytes, point.peak_bytes);
    }
  }
}

TEST(ParetoCurve, LaterBudgetsAreNeverDearer) {
  const auto study = deep_study(8);
  ParetoFront archive;
  double dearest = -1;
  for (const double share : {1.0, 0.9, 0.8, 0.7, 0.6}) {
    const BudgetRequest request{share_of_peak(*study, share), PlanGranularity::sequence, few_moves};
    plan_for_budget(*study, request, archive, Progress());
  }
  for (const double share : {0.6, 0.65, 0.7, 0.8, 0.9, 1.0}) {
    const ParetoPoint& best = archive.best(share_of_peak(*study, share));
    if (dearest >= 0) {
      EXPECT_LE(best.extra_seconds, dearest);
    }
    dearest = best.extra_seconds;
  }
  EXPECT_EQ(dearest, 0);
}

/// A search by cluster keeps the offloaded tensors of the choices, as far as the host has room, and
/// all compressed ones.
TEST(Budget, KeepsTheMemoryOfTheHost) {
  Choices choices;
  choices.plans.config["Gelu"] = {PlanType::offload, 2, false};
  choices.plans.config["MatMul"] = {PlanType::compress, -1, false};
  const auto free = deep_study(6, choices);
  const std::int64_t host = free->current->host_bytes;
  ASSERT_GT(host, 0);
  const std::int64_t budget = share_of_peak(*free, 0.8);
  const auto answer_with = [&](std::int64_t limit) {
    choices.times.host_memory = limit;
    return planned(*deep_study(6, choices), budget, PlanGranularity::cluster);
  };
  const BudgetAnswer roomy = answer_with(host);
  EXPECT_EQ(roomy.best.host_bytes, host);
  EXPECT_EQ(roomy.best.choices.plans.config.at("Gelu").type, PlanType::offload);
  EXPECT_FALSE(roomy.left_out_for_host);
  const BudgetAnswer narrow = answer_with(host - 1);
  EXPECT_EQ(narrow.best.host_bytes, host / 2);
  EXPECT_EQ(narrow.best.choices.plans.config.at("Gelu"),
            (ClusterChoice{PlanType::offload, 1, false}));
  const BudgetAnswer narrowest = answer_with(1);
  EXPECT_EQ(narrowest.best.host_bytes, 0);
  for (const BudgetAnswer& each : {narrow, narrowest}) {
    EXPECT_EQ(each.best.choices.plans.config.at("MatMul").type, PlanType::compress);
  }
  EXPECT_EQ(own_part(narrowest.best.choices.plans.config).size(), 1U);
  EXPECT_TRUE(roomy.lowered_for_host.empty());
  EXPECT_EQ(to_string(narrow.lowered_for_host), "Gelu:3:2");
  EXPECT_EQ(to_string(narrowest.lowered_for_host), "Gelu:3:2");
}

/// Each plan of the front is that of a study, also where the order is searched for.
TEST(Budget, KeepsTheMemoryOfTheHostInASearchedOrder) {
  Choices choices;
  choices.plans.config["Gelu"] = {PlanType::offload, -1, false};
  choices.order.strategy = "minimal";
  const std::int64_t host = deep_study(4, choices)->current->host_bytes;
  ASSERT_GT(host, 0);
  std::size_t offloading = 0;
  for (const std::int64_t limit : {host, host - 1, host / 2, std::int64_t{1}}) {
    choices.times.host_memory = limit;
    const auto study = deep_study(4, choices);
    const BudgetRequest request{share_of_peak(*study, 0.6), PlanGranularity::cluster, {0, 300, 1}};
    ParetoFront front;
    plan_for_budget(*study, request, front, Progress());
    for (const ParetoPoint& point : front.points()) {
      const auto there = compute_study(study->model, point.choices, study.get(), Progress());
      EXPECT_LE(there->current->host_bytes, limit);
      EXPECT_EQ(there->current->host_bytes, point.host_bytes);
      if (point.host_bytes == 0) continue;
      ++offloading;
      EXPECT_EQ(there->current->timeline.peak_bytes, point.peak_bytes);
    }
  }
  EXPECT_GT(offloading, 0U);
}

}  // namespace budget_test
}  // namespace stashscope
