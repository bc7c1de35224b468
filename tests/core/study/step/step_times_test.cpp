// Times of a step: predicted for a profile, then measured.

#include <gtest/gtest.h>

#include <numeric>

#include "core/study/step/plan_effects.h"
#include "core/study/step/study.h"
#include "tests/support/named_model.h"

namespace stashscope {
namespace step_times_test {

std::shared_ptr<const Study> study_with(const std::string& plans, const Choices& others = {}) {
  Choices choices = others;
  choices.plans.config = parse_config(plans);
  return compute_study(std::make_shared<const Graph>(test::deep_perceptron(6, 64).build()), choices,
                       nullptr, Progress());
}

Measurement run_of(const Variant& variant, double seconds) {
  Measurement measured;
  measured.device = "cpu";
  measured.node_seconds.assign(variant.timeline.order.size(), seconds);
  return measured;
}

double sum(const NodeTimes& times) { return std::accumulate(times.begin(), times.end(), 0.0); }

TEST(StepTimes, AreTheSumOfTheNodes) {
  const auto study = study_with("");
  EXPECT_GT(sum(study->times->seconds), 0);
  EXPECT_DOUBLE_EQ(step_seconds(*study, *study->baseline), sum(study->times->seconds));
  EXPECT_EQ(extra_seconds(*study), 0);
  EXPECT_EQ(study->times->measured, 0U);
}

TEST(StepTimes, OfPlansAreWhatTheirRowsSay) {
  const auto base = study_with("");
  std::vector<PlanRow> rows = base->plan_table->plans;
  rows.insert(rows.end(), base->plan_table->extensions.begin(), base->plan_table->extensions.end());
  std::size_t checked = 0;
  for (const PlanRow& row : rows) {
    if (row.entries.size() != 1) continue;
    const auto study = study_with(row.config);
    EXPECT_GT(row.cost.seconds, 0) << row.config;
    EXPECT_NEAR(extra_seconds(*study), row.cost.seconds, 1e-9 * row.cost.seconds) << row.config;
    ++checked;
  }
  EXPECT_GE(checked, 3U);
}

TEST(StepTimes, OfTransfersTakeTheLinkOfTheProfileOrTheChosenOne) {
  Choices choices;
  choices.dims = {{"N", 64}};
  choices.times.profile.link_bandwidth = 1e6;
  auto study = study_with("MatMul:3:1", choices);
  const double bytes = 2 * 64 * 64 * 4;
  EXPECT_DOUBLE_EQ(transfer_seconds(*study, *study->current), bytes / 1e6);
  EXPECT_DOUBLE_EQ(extra_seconds(*study), bytes / 1e6);
  choices.times.transfer_bandwidth = 2e6;
  study = study_with("MatMul:3:1", choices);
  EXPECT_DOUBLE_EQ(extra_seconds(*study), bytes / 2e6);
}

TEST(StepTimes, OfStepsAddUpToThoseOfTheVariant) {
  for (const char* const plans : {"", "Gelu+:1:-1", "MatMul:3:1", "MatMul:4:1"}) {
    const auto study = study_with(plans);
    for (const Variant* const variant : {study->baseline.get(), study->current.get()}) {
      const std::vector<double> steps = seconds_by_step(*study, *variant, study->times->seconds);
      ASSERT_EQ(steps.size(), variant->timeline.order.size());
      EXPECT_NEAR(std::accumulate(steps.begin(), steps.end(), 0.0), step_seconds(*study, *variant),
                  1e-12)
          << plans;
    }
  }
}

TEST(StepTimes, FollowTheProfile) {
  const auto fast = study_with("");
  Choices choices;
  choices.times.profile.launch_seconds += 1;
  const auto slow = compute_study(fast->model, choices, fast.get(), Progress());
  EXPECT_GT(step_seconds(*slow, *slow->baseline), step_seconds(*fast, *fast->baseline) + 1);
  EXPECT_EQ(slow->sizes, fast->sizes) << "sizes are the same on every device";
  EXPECT_EQ(slow->baseline, fast->baseline);
  EXPECT_GT(slow->plan_table->plans.at(0).cost.seconds,
            fast->plan_table->plans.at(0).cost.seconds + 0.9);
}

TEST(StepTimes, AreMeasuredWhereARunTold) {
  const auto predicted = study_with("Gelu+:1:-1");
  ASSERT_GT(predicted->current->timeline.order.size(), predicted->baseline->timeline.order.size());
  const auto study = with_measured_times(*predicted, run_of(*predicted->baseline, 1),
                                         run_of(*predicted->current, 1));
  const auto nodes = static_cast<double>(study->baseline->timeline.order.size());
  const auto after = static_cast<double>(study->current->timeline.order.size());
  EXPECT_DOUBLE_EQ(step_seconds(*study, *study->baseline), nodes);
  EXPECT_DOUBLE_EQ(step_seconds(*study, *study->current), after);
  EXPECT_EQ(study->times->measured, study->graph().nodes().size());
  EXPECT_EQ(study->times->measured_on, "cpu");
  EXPECT_EQ(predicted->times->measured, 0U) << "the study before stays as it was";
  const auto next = compute_study(study->model, Choices(), study.get(), Progress());
  EXPECT_EQ(next->times, study->times) << "what was measured serves further plans";
  EXPECT_DOUBLE_EQ(next->plan_table->plans.at(0).cost.seconds,
                   study->plan_table->plans.at(0).cost.seconds);
}

}  // namespace step_times_test
}  // namespace stashscope
