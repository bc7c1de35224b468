// Steps whose copies overlap with their nodes, beside the same steps without overlap.

#include "core/study/step/overlapped_step.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "core/onnx/model_file.h"
#include "core/run/devices/devices.h"
#include "core/run/step/random_inputs.h"
#include "core/study/reserved/reserved_memory.h"
#include "core/study/search/largest_fit.h"
#include "core/study/search/plan_evaluator.h"
#include "core/study/step/step_export.h"
#include "tests/support/captured_chain.h"

namespace stashscope {
namespace overlapped_step_test {

std::shared_ptr<const Graph> small_gpt2() {
  static const auto model = std::make_shared<const Graph>(
      load_model(STASHSCOPE_SHARED "/models/small/gpt2_tiny/model.onnx"));
  return model;
}

std::shared_ptr<const Study> study_of(const Choices& choices, const Study* previous = nullptr) {
  return compute_study(small_gpt2(), choices, previous, Progress());
}

/// All tensors that can be offloaded are. The link is about as fast as the nodes.
Choices all_offloaded(double bandwidth = 1e9) {
  Choices choices;
  choices.times.transfer_bandwidth = bandwidth;
  const auto study = study_of(choices);
  for (const PlanRow& row : study->plan_table->extensions) {
    if (row.type != PlanType::offload) continue;
    choices.plans.config.insert(row.entries.begin(), row.entries.end());
  }
  return choices;
}

Choices overlapping(Choices choices) {
  choices.plans.overlaps_copies = true;
  return choices;
}

/// The seconds of the nodes without copies.
double node_seconds(const Study& study) {
  return step_seconds(study, *study.current) - waiting_seconds(study, *study.current);
}

class OverlappedStepOfLinks : public testing::TestWithParam<double> {};

TEST_P(OverlappedStepOfLinks, TakesLessTimeAtTheSamePeak) {
  for (const char* const order : {"file", "depth-first", "largest-first", "bytes-freed"}) {
    for (const char* const fusion : {"none", "dataflow", "memory-aware"}) {
      SCOPED_TRACE(std::string(order) + " " + fusion);
      Choices choices = all_offloaded(GetParam());
      choices.order.strategy = order;
      choices.fusion.strategy = choice_of(fusion, no_fusion);
      const auto serial = study_of(choices);
      const auto overlapped = study_of(overlapping(choices));
      const Variant& current = *overlapped->current;
      EXPECT_FALSE(current.copies.empty());
      EXPECT_TRUE(serial->current->copies.empty());
      EXPECT_EQ(current.timeline.peak_bytes, serial->current->timeline.peak_bytes);
      EXPECT_EQ(current.transfer_bytes, serial->current->transfer_bytes);
      EXPECT_GE(current.host_bytes, serial->current->host_bytes);
      EXPECT_LT(step_seconds(*overlapped, current), step_seconds(*serial, *serial->current));
      EXPECT_LT(extra_seconds(*overlapped), extra_seconds(*serial));
      EXPECT_NEAR(node_seconds(*overlapped), node_seconds(*serial), 1e-12);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(BytesPerSecond, OverlappedStepOfLinks,
                         testing::Values(1e8, 1e9, 1e10, 1e11));

TEST(OverlappedStep, WaitsForNothingWhereTheLinkIsFast) {
  const auto study = study_of(overlapping(all_offloaded(1e14)));
  const double waiting = waiting_seconds(*study, *study->current);
  EXPECT_LT(waiting, 0.05 * transfer_seconds(*study, *study->current));
}

TEST(OverlappedStep, OfflineEvaluationsAreTheStudys) {
  for (const double bandwidth : {1e8, 1e9, 1e10}) {
    for (const bool fuses : {false, true}) {
      Choices choices = overlapping(all_offloaded(bandwidth));
      if (fuses) choices.fusion.strategy = "memory-aware";
      const auto study = study_of(choices);
      const auto outcome = PlanEvaluator(*study).evaluate(study->config);
      EXPECT_EQ(outcome.peak_bytes, study->current->timeline.peak_bytes);
      EXPECT_EQ(outcome.host_bytes, study->current->host_bytes);
      EXPECT_NEAR(outcome.extra_seconds, extra_seconds(*study), 1e-12);
    }
  }
}

TEST(OverlappedStep, IsPlacedAnewForAnotherLink) {
  const Choices slow = overlapping(all_offloaded(1e8));
  Choices fast = slow;
  fast.times.transfer_bandwidth = 1e10;
  const auto before = study_of(slow);
  const auto reused = study_of(fast, before.get());
  const auto fresh = study_of(fast);
  EXPECT_EQ(reused->current->copies, fresh->current->copies);
  EXPECT_EQ(reused->current->timeline.order, fresh->current->timeline.order);
  EXPECT_NE(before->current->copies, fresh->current->copies);
}

/// A worker predicts the times itself, so that measured times must not move copies.
TEST(OverlappedStep, HasTheSamePlacesWithMeasuredTimes) {
  const auto study = study_of(overlapping(all_offloaded()));
  Measurement measured;
  measured.device = "cpu";
  measured.node_seconds.assign(study->current->timeline.order.size(), 1);
  const auto timed = with_measured_times(*study, std::nullopt, measured);
  Choices other = study->choices;
  other.order.strategy = "depth-first";
  const auto there = study_of(other, timed.get());
  ASSERT_GT(there->times->measured, 0U);
  EXPECT_EQ(study_of(study->choices, there.get())->current->copies, study->current->copies);
}

/// A run of the step gives the predicted bytes, and the results of the step without overlap.
void expect_runs_as_predicted(Choices choices) {
  choices.dims = {{"inputs_input_ids_dim0", 2}, {"inputs_input_ids_dim1", 8}};
  const auto serial = study_of(choices);
  const auto overlapped = study_of(overlapping(choices));
  ASSERT_FALSE(overlapped->current->copies.empty());
  ASSERT_LT(step_seconds(*overlapped, *overlapped->current),
            step_seconds(*serial, *serial->current));
  const NamedTensors inputs =
      with_random_inputs(serial->graph(), serial->sizes->dims.bindings, {}, 1);
  const auto run = [&](const Study& study) {
    const RunPlan plan = run_plan(study, *study.current);
    RunResult result = make_runner("cpu")->run(plan, inputs, {}, {});
    EXPECT_EQ(result.measurement.live_bytes, plan.timeline.live_bytes);
    return std::move(result.outputs);
  };
  const NamedTensors expected = run(*serial);
  const NamedTensors outputs = run(*overlapped);
  ASSERT_EQ(outputs.size(), expected.size());
  for (const auto& [name, tensor] : expected) {
    const TensorBytes left = tensor.load();
    const TensorBytes right = outputs.at(name).load();
    EXPECT_TRUE(std::ranges::equal(left.bytes, right.bytes)) << name;
  }
}

TEST(OverlappedStep, RunsWithThePredictedBytesAndTheSameResults) {
  expect_runs_as_predicted(all_offloaded());
}

TEST(OverlappedStep, RunsInMicroBatches) {
  Choices choices = all_offloaded();
  choices.graph.what_ifs["micro"] = "2";
  expect_runs_as_predicted(choices);
}

TEST(OverlappedStep, IsAnotherStepOnALinkOfAnotherSpeed) {
  const auto same = [](const Choices& choices) {
    Choices faster_link = choices;
    faster_link.times.transfer_bandwidth = 2e9;
    Choices slower_launches = choices;
    slower_launches.times.profile.launch_seconds *= 2;
    EXPECT_EQ(same_step(choices, faster_link), same_step(choices, slower_launches));
    return same_step(choices, faster_link);
  };
  EXPECT_TRUE(same(all_offloaded()));
  EXPECT_FALSE(same(overlapping(all_offloaded())));
}

TEST(OverlappedStep, SlotsAddUpToTheStep) {
  const auto study = study_of(overlapping(all_offloaded()));
  const auto slots = seconds_by_step(*study, *study->current, study->times->seconds);
  EXPECT_NEAR(std::accumulate(slots.begin(), slots.end(), 0.0),
              step_seconds(*study, *study->current), 1e-12);
}

TEST(OverlappedStep, HasNoCopiesWithoutOffloadedTensors) {
  Choices choices;
  choices.plans.level = 1;
  const auto study = study_of(overlapping(choices));
  EXPECT_TRUE(study->current->copies.empty());
  EXPECT_EQ(study->current->host_bytes, 0);
  EXPECT_DOUBLE_EQ(extra_seconds(*study), extra_seconds(*study_of(choices)));
}

TEST(OverlappedStep, LargestBatchesHaveItsTime) {
  Choices choices = overlapping(all_offloaded());
  choices.order.strategy = "minimal";
  choices.dims = {{"inputs_input_ids_dim1", 16}};
  const auto study = study_of(choices);
  FitQuestion question;
  question.names = {study->sizes->dims.dimensions[0].name};
  question.memory_bytes = 4 * study->current->timeline.peak_bytes;
  const LargestFit fit = largest_fit(*study, question, Progress());
  ASSERT_TRUE(fit.current.largest);
  const FitPoint& largest = *fit.current.largest;
  EXPECT_FALSE(largest.variant->copies.empty());
  choices.dims[question.names[0]] = largest.value;
  const auto there = study_of(choices);
  EXPECT_EQ(there->current->timeline.order, largest.variant->timeline.order);
  EXPECT_EQ(there->current->timeline.peak_bytes, largest.peak_bytes);
  EXPECT_EQ(there->current->host_bytes, largest.variant->host_bytes);
  EXPECT_EQ(step_seconds(*there, *there->current), largest.seconds);
}

/// What an allocator reserves depends on when tensors live, which overlap changes.
TEST(OverlappedStep, LargestBatchesReserveWhatTheirStepDoes) {
  for (const double bandwidth : {1e8, 1e10}) {
    Choices choices = overlapping(all_offloaded(bandwidth));
    choices.dims = {{"inputs_input_ids_dim1", 16}};
    const auto study = study_of(choices);
    const std::string name = study->sizes->dims.dimensions[0].name;
    FitQuestion question;
    question.names = {name};
    question.allocator = AllocatorSettings();
    question.memory_bytes =
        8 * reserved_memory(*study, *study->current, AllocatorSettings()).reserved_bytes;
    const LargestFit fit = largest_fit(*study, question, Progress());
    ASSERT_TRUE(fit.current.largest);
    choices.dims[name] = fit.current.largest->value;
    const auto there = study_of(choices);
    EXPECT_EQ(there->current->timeline.order, fit.current.largest->variant->timeline.order);
    EXPECT_EQ(fit.current.largest->reserved_bytes,
              reserved_memory(*there, *there->current, AllocatorSettings()).reserved_bytes);
    EXPECT_LE(fit.current.largest->reserved_bytes, question.memory_bytes);
  }
}

/// Times are no differences of sums, which would be rounded.
TEST(OverlappedStep, CopiesThatNothingWaitsForAddExactlyNothing) {
  int hidden = 0;
  const Choices all = all_offloaded();
  for (const auto& entry : all.plans.config) {
    Choices choices;
    choices.times.transfer_bandwidth = 1e13;
    choices.plans.config.insert(entry);
    const auto study = study_of(overlapping(choices));
    if (study->current->copies.empty()) continue;
    const double extra = extra_seconds(*study);
    EXPECT_EQ(PlanEvaluator(*study).evaluate(study->config).extra_seconds, extra);
    EXPECT_EQ(waiting_seconds(*study, *study->current), extra) << "only copies are added";
    EXPECT_TRUE(extra == 0 || extra > 1e-15) << extra;
    hidden += extra == 0 ? 1 : 0;
  }
  EXPECT_GT(hidden, 0);
}

TEST(OverlappedStep, WarnsOfChoicesWithoutEffect) {
  const auto count = [](const Choices& each) { return study_of(each)->warnings.size(); };
  EXPECT_EQ(count(overlapping(Choices())), count(Choices()) + 1);
  EXPECT_EQ(count(overlapping(all_offloaded())), count(all_offloaded()));
  const auto captured = test::captured_study(test::chain_with_batch());
  Choices choices = captured->choices;
  choices.times.host_memory = 1;
  choices.plans.overlaps_copies = true;
  const auto chosen = compute_study(captured->model, choices, nullptr, Progress());
  EXPECT_EQ(chosen->warnings.size(), captured->warnings.size() + 2);
}

TEST(OverlappedStep, WarnsOfTooMuchOnTheHostAndOfRunsOnAGpu) {
  Choices choices = overlapping(all_offloaded());
  const auto count = [](const Choices& each) { return study_of(each)->warnings.size(); };
  const std::size_t before = count(choices);
  choices.times.host_memory = study_of(choices)->current->host_bytes;
  EXPECT_EQ(count(choices), before);
  --*choices.times.host_memory;
  EXPECT_EQ(count(choices), before + 1);
  choices.device = "cpu";
  EXPECT_EQ(count(choices), before + 1);
  choices.device = "cuda:0";
  EXPECT_EQ(count(choices), before + 2);
}

}  // namespace overlapped_step_test
}  // namespace stashscope
