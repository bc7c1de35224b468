#include "core/study/search/region_prices.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/recompute/config.h"
#include "core/study/search/budget.h"
#include "tests/support/captured_chain.h"

namespace stashscope {
namespace region_prices_test {

constexpr int modules = 4;

struct Tried {
  RecomputeConfig config;
  PlanOutcome outcome;
};

/// The cheapest within the budget; nothing if none is.
const Tried* cheapest(const std::vector<Tried>& all, std::int64_t budget) {
  const Tried* best = nullptr;
  for (const Tried& each : all) {
    if (each.outcome.peak_bytes > budget) continue;
    if (!best || each.outcome.extra_seconds < best->outcome.extra_seconds) best = &each;
  }
  return best;
}

class PricesOfRegions : public testing::Test {
 protected:
  /// Every number of modules for every row of the table.
  std::vector<Tried> all_plans() const {
    std::set<std::string> clusters;
    for (const NodePlan& plan : study_->opportunities->plans) clusters.insert(plan.cluster);
    std::vector<RecomputeConfig> configs = {{}};
    for (const std::string& cluster : clusters) {
      const std::vector<RecomputeConfig> before = configs;
      for (int count = 1; count <= modules; ++count) {
        for (RecomputeConfig config : before) {
          config[cluster] = {PlanType::region, count};
          configs.push_back(std::move(config));
        }
      }
    }
    std::vector<Tried> all;
    for (RecomputeConfig& each : configs) {
      const auto outcome = evaluator_.evaluate(each);
      all.push_back({std::move(each), outcome});
    }
    return all;
  }

  /// What the search tries.
  std::vector<Tried> searched(std::int64_t budget, std::size_t most = 1'000) const {
    std::vector<Tried> tried;
    RegionPrices prices(
        *study_,
        [&](const RecomputeConfig& config) {
          tried.push_back({config, evaluator_.evaluate(config)});
          return tried.back().outcome;
        },
        [&] { return tried.size() >= most; });
    prices.search(budget,
                  [&](const RecomputeConfig& config) { return evaluator_.peak_node(config); });
    return tried;
  }

  /// Budgets from just below the peak to the lowest peak of all plans, from high to low.
  std::vector<std::int64_t> budgets() const {
    std::int64_t lowest = peak_;
    for (const Tried& each : all_) lowest = std::min(lowest, each.outcome.peak_bytes);
    constexpr std::int64_t parts = 8;
    std::vector<std::int64_t> budgets;
    for (std::int64_t i = 1; i <= parts; ++i) {
      budgets.push_back(peak_ - (peak_ - lowest) * i / parts);
    }
    return budgets;
  }

  std::shared_ptr<const Study> study_ = test::captured_study(test::CapturedChain(modules).data());
  PlanEvaluator evaluator_{*study_};
  std::int64_t peak_ = study_->baseline->timeline.peak_bytes;
  std::vector<Tried> all_ = all_plans();
};

/// Prices alone miss mixtures of three choices and, where only a mixture reaches the lowest peak,
/// that peak; the search that starts from them finds both (below).
TEST_F(PricesOfRegions, AreAtMostOneSecondRunOfAModuleDearerThanTheBestPlan) {
  EXPECT_EQ(all_.size(), 125U) << "0 to 4 modules for each of three rows";
  const double one_module = evaluator_.evaluate(parse_config("net.*:5:1")).extra_seconds;
  for (const std::int64_t budget : budgets()) {
    if (budget == budgets().back()) continue;
    const Tried* const best = cheapest(all_, budget);
    const std::vector<Tried> tried = searched(budget);
    const Tried* const found = cheapest(tried, budget);
    ASSERT_NE(best, nullptr);
    ASSERT_NE(found, nullptr) << budget;
    constexpr double rounding = 1e-12;
    EXPECT_LE(found->outcome.extra_seconds, best->outcome.extra_seconds + one_module + rounding)
        << budget << ": " << to_string(found->config) << " and " << to_string(best->config);
    EXPECT_LT(tried.size(), all_.size());
  }
}

TEST_F(PricesOfRegions, TheAnswerToABudgetIsTheBestPlan) {
  std::int64_t before = peak_;
  double seconds_before = 0;
  for (const std::int64_t budget : budgets()) {
    ParetoFront archive;
    const BudgetAnswer answer =
        plan_for_budget(*study_, {budget, PlanGranularity::cluster, {0, 500}}, archive, Progress());
    EXPECT_TRUE(answer.feasible);
    EXPECT_LE(answer.best.peak_bytes, budget);
    EXPECT_DOUBLE_EQ(answer.best.extra_seconds, cheapest(all_, budget)->outcome.extra_seconds);
    EXPECT_LE(answer.best.peak_bytes, before) << "a lower budget has no higher peak";
    EXPECT_GE(answer.best.extra_seconds, seconds_before);
    before = answer.best.peak_bytes;
    seconds_before = answer.best.extra_seconds;
  }
}

TEST_F(PricesOfRegions, EndWithoutAPlanBelowTheLowestPeak) {
  const std::int64_t below = budgets().back() - 1;
  EXPECT_EQ(cheapest(all_, below), nullptr);
  EXPECT_EQ(cheapest(searched(below), below), nullptr);
}

TEST_F(PricesOfRegions, EndWhenTheirTimeIsOver) {
  EXPECT_LE(searched(budgets()[3], 5).size(), 6U);
  EXPECT_TRUE(searched(budgets()[3], 0).empty());
}

}  // namespace region_prices_test
}  // namespace stashscope
