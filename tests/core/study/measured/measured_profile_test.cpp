// Profiles fitted to measured runs.

#include "core/study/measured/measured_profile.h"
#include "core/run/devices/devices.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "core/base/error.h"
#include "core/planner/roofline_fit.h"
#include "core/study/step/plan_effects.h"
#include "tests/support/folder.h"
#include "tests/support/named_model.h"

namespace stashscope {
namespace measured_profile_test {

DeviceProfile known_device() {
  DeviceProfile profile = load_profile("CPU-8-cores");
  profile.name = "known";
  profile.bandwidth = 2e10;
  profile.launch_seconds = 3e-6;
  profile.vector = {.float32 = 4e9};
  profile.matrix = {.float32 = 2e11};
  return profile;
}

std::shared_ptr<const Study> study_with(const Choices& choices) {
  return compute_study(std::make_shared<const Graph>(test::blocks(6, 256).build()), choices,
                       nullptr, Progress());
}

Choices sized(const DeviceProfile& profile) {
  Choices choices;
  choices.dims = {{"N", 512}};
  choices.times.profile = profile;
  return choices;
}

/// A run with the predicted times and random deviations of some percent.
Measurement run_of(const Study& study, const Variant& variant) {
  std::mt19937 random(1);
  std::normal_distribution<double> deviation(0, 0.03);
  Measurement measured;
  measured.device = "cpu";
  measured.node_seconds = seconds_by_step(study, variant, study.times->seconds);
  for (double& each : measured.node_seconds) each *= std::exp(deviation(random));
  return measured;
}

double sum(const std::vector<double>& numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), 0.0);
}

TEST(MeasuredProfile, IsThatOfTheDeviceBehindTheTimes) {
  const DeviceProfile known = known_device();
  for (const char* const plans : {"", "Gelu+:1:-1", "MatMul:3:1"}) {
    Choices choices = sized(known);
    choices.plans.config = parse_config(plans);
    const auto study = study_with(choices);
    const Measurement run = run_of(*study, *study->current);
    const DeviceProfile fitted = measured_profile(*study, *study->current, run, default_profile());
    EXPECT_EQ(fitted.name, "measured on cpu");
    EXPECT_EQ(fitted.memory_bytes, default_profile().memory_bytes);
    EXPECT_NEAR(fitted.bandwidth / known.bandwidth, 1, 0.03) << plans;
    EXPECT_NEAR(fitted.vector.float32 / known.vector.float32, 1, 0.03) << plans;
    EXPECT_NEAR(fitted.matrix.float32 / known.matrix.float32, 1, 0.03) << plans;
    choices.times.profile = fitted;
    const auto again = study_with(choices);
    EXPECT_NEAR(step_seconds(*again, *again->current) / sum(run.node_seconds), 1, 0.03) << plans;
  }
}

/// A GPU makes overlapping copies at their nodes and times them; on the CPU, nobody times them.
TEST(MeasuredProfile, HasTheLinkOfCopiesThatWereTimed) {
  DeviceProfile known = known_device();
  known.link_bandwidth = 3e9;
  Choices choices = sized(known);
  choices.plans.config = parse_config("MatMul:3:-1");
  choices.plans.overlaps_copies = true;
  const auto study = study_with(choices);
  ASSERT_FALSE(study->current->copies.empty());
  const NodeTimes seconds = seconds_by_node(*study, study->current->dataflow);
  Measurement run;
  for (const NodeId node : study->current->timeline.order) {
    run.node_seconds.push_back(seconds[node]);
  }
  const auto link_of = [&](const char* device) {
    run.device = device;
    return measured_profile(*study, *study->current, run, default_profile()).link_bandwidth;
  };
  EXPECT_NEAR(link_of("cuda:0") / known.link_bandwidth, 1, 0.03);
  EXPECT_EQ(link_of("cpu"), effective(default_profile()).link_bandwidth);
}

TEST(MeasuredProfile, DoesNotDependOnTheNumberOfMicroBatches) {
  DeviceProfile known = known_device();
  known.launch_seconds = 1e-3;
  for (const char* const count : {"micro=1", "micro=8"}) {
    Choices choices = sized(known);
    add_what_if(count, choices.graph.what_ifs);
    const auto study = study_with(choices);
    const Measurement run = run_of(*study, *study->current);
    const DeviceProfile fitted = measured_profile(*study, *study->current, run, default_profile());
    EXPECT_NEAR(fitted.launch_seconds / known.launch_seconds, 1, 0.2) << count;
  }
}

TEST(MeasuredProfile, HasNameAndMemoryOfADeviceThatTellsThem) {
  const auto study = study_with(sized(known_device()));
  const Measurement run = run_of(*study, *study->baseline);
  const DeviceInfo device{"cuda:0", "", true, "Large GPU", 12345};
  const DeviceProfile& base = default_profile();
  const DeviceProfile told = measured_profile(*study, *study->baseline, run, base, device);
  EXPECT_EQ(told.name, "measured on Large GPU");
  EXPECT_EQ(told.memory_bytes, 12345);
  const auto has = [](const std::vector<std::string>& keys, const char* key) {
    return std::ranges::find(keys, key) != keys.end();
  };
  const std::vector<std::string> kept = figures_from_base(told, base);
  EXPECT_FALSE(has(kept, "memory_bytes"));
  EXPECT_FALSE(has(kept, "bandwidth"));
  EXPECT_FALSE(has(kept, "vector_flops.float32"));
  EXPECT_TRUE(has(kept, "link_bandwidth"));
  EXPECT_TRUE(has(kept, "matrix_flops.float16")) << "in the rates that are reached";
  const DeviceProfile untold = measured_profile(*study, *study->baseline, run, base);
  EXPECT_TRUE(has(figures_from_base(untold, base), "memory_bytes"));
}

TEST(MeasuredProfile, IsReadBackFromItsFile) {
  const auto study = study_with(sized(known_device()));
  const DeviceProfile fitted = measured_profile(
      *study, *study->baseline, run_of(*study, *study->baseline), default_profile());
  const test::Folder folder;
  const std::string path = (folder.path() / "measured.json").string();
  save_profile(fitted, path);
  EXPECT_EQ(load_profile(path), fitted);
}

TEST(MeasuredProfile, LeavesOutWhatTellsNothing) {
  const auto study = study_with(sized(known_device()));
  Measurement run = run_of(*study, *study->baseline);
  const DeviceProfile all = measured_profile(*study, *study->baseline, run, default_profile());
  for (std::size_t step = 0; step < run.node_seconds.size(); step += 9) run.node_seconds[step] = 0;
  const DeviceProfile most = measured_profile(*study, *study->baseline, run, default_profile());
  EXPECT_NEAR(most.matrix.float32 / all.matrix.float32, 1, 0.05);
  EXPECT_NEAR(most.bandwidth / all.bandwidth, 1, 0.05);
}

std::string refusal(const Study& study, const Measurement& measured) {
  try {
    measured_profile(study, *study.baseline, measured, default_profile());
    return "";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    EXPECT_FALSE(error.hint().empty());
    return error.what();
  }
}

TEST(MeasuredProfile, NeedsTimesOfTheStep) {
  const auto study = study_with(sized(known_device()));
  Measurement run = run_of(*study, *study->baseline);
  EXPECT_EQ(refusal(*study, run), "");
  run.node_seconds.pop_back();
  const std::string nodes = std::to_string(run.node_seconds.size()) + " nodes";
  EXPECT_NE(refusal(*study, run).find(nodes), std::string::npos);
  run.node_seconds.assign(study->baseline->timeline.order.size(), 0);
  EXPECT_NE(refusal(*study, run).find("has no times of nodes"), std::string::npos);
  run.node_seconds.clear();
  EXPECT_NE(refusal(*study, run).find("has no times of nodes"), std::string::npos);
}

TEST(MeasuredProfile, LeavesOutGroupsWhoseMembersHaveNoTimeOfTheirOwn) {
  const auto alone = study_with(sized(known_device()));
  Choices choices = sized(known_device());
  choices.fusion.strategy = "dataflow";
  const auto fused = study_with(choices);
  ASSERT_FALSE(fused->current->groups.empty());
  Measurement run = run_of(*fused, *fused->current);
  for (std::size_t step = 0; step < run.node_seconds.size(); ++step) {
    // Far from the time of a single member.
    const NodeId node = fused->current->timeline.order[step];
    if (fused->current->groups.of(node).valid()) run.node_seconds[step] = 1;
  }
  const DeviceProfile fitted = measured_profile(*fused, *fused->current, run, default_profile());
  EXPECT_NEAR(fitted.matrix.float32 / known_device().matrix.float32, 1, 0.05);
}

}  // namespace measured_profile_test
}  // namespace stashscope
