// The causes of differences between measurement and prediction.

#include "core/study/measured/measured_difference.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "core/study/measured/measure.h"
#include "tests/support/named_model.h"

namespace stashscope {
namespace measured_difference_test {

std::shared_ptr<const Study> study_of(const test::ModelBuilder& model) {
  return compute_study(std::make_shared<const Graph>(model.build()), {}, nullptr, Progress());
}

/// A run that took the predicted bytes, and one millisecond per slot.
Measurement exact_run(const Variant& variant, const std::string& device = "cpu") {
  Measurement measured;
  measured.device = device;
  measured.live_bytes = variant.timeline.live_bytes;
  measured.node_seconds.assign(variant.timeline.order.size(), 1e-3);
  return measured;
}

class MeasuredDifference : public testing::Test {
 protected:
  std::vector<StepDifference> differences(const Measurement& measured) const {
    return measured_differences(*study_, *study_->current, measured).slots;
  }
  const Variant& variant() const { return *study_->current; }

  std::shared_ptr<const Study> study_ = study_of(test::deep_perceptron(4));
};

TEST_F(MeasuredDifference, AnExactRunHasNone) {
  const auto found = differences(exact_run(variant()));
  ASSERT_EQ(found.size(), variant().timeline.order.size());
  for (std::size_t step = 0; step < found.size(); ++step) {
    EXPECT_EQ(found[step].step, step);
    EXPECT_EQ(found[step].node, variant().timeline.order[step]);
    EXPECT_EQ(found[step].bytes(), 0);
    EXPECT_EQ(found[step].cause, DifferenceCause::none);
    EXPECT_EQ(found[step].predicted_bytes, variant().timeline.live_bytes[step]);
  }
}

/// Workspace is not predicted, so predictions use the measured one if there is one.
TEST_F(MeasuredDifference, WorkspacesCountInTheStepsThatTookThem) {
  Measurement run = exact_run(variant(), "cuda:0");
  const std::int64_t peak = variant().timeline.peak_bytes;
  EXPECT_EQ(predicted_with_workspace(variant(), run), peak);
  run.workspace_bytes.assign(run.live_bytes.size(), 0);
  const auto lowest = std::ranges::min_element(run.live_bytes) - run.live_bytes.begin();
  run.workspace_bytes[static_cast<std::size_t>(lowest)] = 1;
  EXPECT_EQ(predicted_with_workspace(variant(), run), peak);
  for (std::int64_t& bytes : run.workspace_bytes) bytes = 1000;
  for (std::int64_t& bytes : run.live_bytes) bytes += 512;
  EXPECT_EQ(predicted_with_workspace(variant(), run), peak + 1000);
}

TEST_F(MeasuredDifference, TimesAreBesideThoseOfTheProfileWhateverWasMeasured) {
  const Measurement run = exact_run(variant());
  const auto timed = with_measured_times(*study_, exact_run(*study_->baseline), run);
  double predicted = 0;
  for (const StepDifference& each : measured_differences(*timed, *timed->current, run).slots) {
    predicted += each.predicted_seconds;
    EXPECT_EQ(each.measured_seconds, 1e-3);
    EXPECT_DOUBLE_EQ(each.seconds(), 1e-3 - each.predicted_seconds);
  }
  EXPECT_NEAR(predicted, step_seconds(*study_, variant()), 1e-12);
  EXPECT_GT(step_seconds(*timed, variant()), 2 * predicted) << "those are measured";
}

std::shared_ptr<const Study> overlapping_step() {
  Choices choices;
  choices.plans.config = parse_config("MatMul:3:-1");
  choices.plans.overlaps_copies = true;
  choices.times.transfer_bandwidth = 1e6;
  return compute_study(std::make_shared<const Graph>(test::deep_perceptron(4).build()), choices,
                       nullptr, Progress());
}

/// Runners time nodes without what the nodes wait for, and on the CPU only the start of a copy.
TEST(MeasuredDifferenceWithOverlap, HasTheWaitingBesideTheSlots) {
  const auto study = overlapping_step();
  const Variant& current = *study->current;
  ASSERT_FALSE(current.copies.empty());
  const auto [found, waiting] = measured_differences(*study, current, exact_run(current));
  ASSERT_EQ(found.size(), current.timeline.order.size());
  ASSERT_TRUE(waiting);
  EXPECT_GT(*waiting, 0);
  EXPECT_DOUBLE_EQ(*waiting, waiting_seconds(*study, current));
  double sum = *waiting;
  for (std::size_t slot = 0; slot < found.size(); ++slot) {
    const NodeId node = found[slot].node;
    const bool copies = is_copy(current.dataflow, node);
    const double alone = copies ? 0 : study->times->seconds[current.dataflow.origin(node)];
    EXPECT_DOUBLE_EQ(found[slot].predicted_seconds, alone) << slot;
    sum += found[slot].predicted_seconds;
  }
  EXPECT_NEAR(sum, step_seconds(*study, current), 1e-12);
}

TEST(MeasuredDifferenceWithOverlap, HasTheTimesOfCopiesThatAGpuMadeAlone) {
  const auto study = overlapping_step();
  const Variant& current = *study->current;
  const auto [found, waiting] = measured_differences(*study, current, exact_run(current, "cuda:0"));
  EXPECT_FALSE(waiting);
  ASSERT_EQ(found.size(), current.timeline.order.size());
  double copying = 0;
  for (const StepDifference& each : found) {
    if (is_copy(current.dataflow, each.node)) copying += each.predicted_seconds;
  }
  EXPECT_NEAR(copying, transfer_seconds(*study, current), 1e-12);
}

TEST_F(MeasuredDifference, OnTheProcessorNothingIsRounded) {
  Measurement run = exact_run(variant());
  run.live_bytes[2] += 16;
  EXPECT_EQ(differences(run)[2].cause, DifferenceCause::unknown);
  EXPECT_EQ(differences(run)[2].bytes(), 16);
}

TEST_F(MeasuredDifference, OnADeviceRoundingExplainsAsMuchAsItCan) {
  Measurement run = exact_run(variant(), "cuda:0");
  run.live_bytes[2] += 16;
  run.live_bytes[3] += 1'000'000;
  run.live_bytes[4] -= 16;
  const auto found = differences(run);
  EXPECT_EQ(found[1].cause, DifferenceCause::none);
  EXPECT_EQ(found[2].cause, DifferenceCause::rounding);
  EXPECT_EQ(found[3].cause, DifferenceCause::unknown);
  EXPECT_EQ(found[4].cause, DifferenceCause::unknown);
}

TEST_F(MeasuredDifference, WorkspacesAreBesideTheTensors) {
  Measurement run = exact_run(variant(), "cuda:0");
  EXPECT_EQ(differences(run)[2].workspace_bytes, 0);
  run.workspace_bytes.assign(run.live_bytes.size(), 0);
  run.workspace_bytes[2] = 4096;
  EXPECT_EQ(differences(run)[2].workspace_bytes, 4096);
  EXPECT_EQ(differences(run)[2].bytes(), 0);
  EXPECT_EQ(differences(run)[2].cause, DifferenceCause::none);
}

TEST_F(MeasuredDifference, WhatNodesTakeInsideIsNotMeasured) {
  Variant inner = variant();
  of(inner.bands[1], Band::workspace) = 4096;
  inner.timeline.live_bytes[1] += 4096;
  const auto found = measured_differences(*study_, inner, exact_run(variant())).slots;
  EXPECT_EQ(found[1].bytes(), -4096);
  EXPECT_EQ(found[1].cause, DifferenceCause::inner_memory);
  EXPECT_EQ(found[0].cause, DifferenceCause::none);
}

TEST_F(MeasuredDifference, SizesThatOnlyTheDataTellsAreNamed) {
  Measurement run = exact_run(variant());
  run.data_dependent["N"] = study_->sizes->dims.dimensions.at(0).value + 3;
  run.live_bytes[2] += 48;
  EXPECT_EQ(differences(run)[2].cause, DifferenceCause::data_dependent);
  EXPECT_EQ(differences(run)[3].cause, DifferenceCause::none);
}

TEST_F(MeasuredDifference, AnotherNumberOfStepsCannotBeCompared) {
  Measurement run = exact_run(variant());
  run.live_bytes.pop_back();
  EXPECT_TRUE(differences(run).empty());
}

TEST(DifferenceCauses, HaveWordsOfTheirOwn) {
  std::set<std::string_view> words;
  for (int cause = 0; cause <= static_cast<int>(DifferenceCause::unknown); ++cause) {
    words.insert(explanation(static_cast<DifferenceCause>(cause)));
  }
  EXPECT_EQ(words.size(), 5U);
}

}  // namespace measured_difference_test
}  // namespace stashscope
