#include "core/study/search/sweep.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/onnx/model_file.h"
#include "core/study/edits/edits.h"
#include "core/study/reserved/reserved_memory.h"
#include "tests/support/named_model.h"
#include "tests/support/refusal.h"

namespace stashscope {
namespace sweep_test {

using Values = std::vector<std::int64_t>;

std::vector<SweepPoint> points_of(const Study& study, const Values& values) {
  std::vector<SweepPoint> points;
  sweep(
      study, study.sizes->dims.dimensions.front(), values,
      [&](const SweepPoint& point) { points.push_back(point); }, Progress());
  return points;
}

/// The study with another size of its first dimension.
std::shared_ptr<const Study> resized(const Study& study, std::int64_t value) {
  return compute_study(
      study.model,
      with_dimension(study, study.choices, study.sizes->dims.dimensions.front(), value), nullptr,
      Progress());
}

void expect_peaks_of_studies(const Study& study, const Values& values) {
  const std::vector<SweepPoint> points = points_of(study, values);
  ASSERT_EQ(points.size(), values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto whole = resized(study, values[i]);
    EXPECT_EQ(points[i].value, values[i]);
    EXPECT_EQ(points[i].fault, "");
    EXPECT_EQ(points[i].baseline_bytes, whole->baseline->timeline.peak_bytes) << values[i];
    EXPECT_EQ(points[i].current_bytes, whole->current->timeline.peak_bytes) << values[i];
  }
}

TEST(Sweep, HasThePeaksOfWholeStudies) {
  const auto model = test::named(test::blocks(3));
  for (const char* order : {"file", "bytes-freed", "best"}) {
    for (const char* fusion : {"none", "dataflow", "memory-aware"}) {
      for (const int level : {0, 1}) {
        Choices choices;
        choices.order.strategy = order;
        choices.fusion.strategy = choice_of(fusion, no_fusion);
        choices.plans.level = level;
        choices.update.optimizer = "adam";
        SCOPED_TRACE(testing::Message() << order << " " << fusion << " " << level);
        expect_peaks_of_studies(*compute_study(model, choices, nullptr, Progress()),
                                {1, 2, 3, 17, 500, 4096});
      }
    }
  }
}

TEST(Sweep, HasThePeaksOfWholeStudiesOnAModel) {
  const auto model =
      std::make_shared<const Graph>(load_model(STASHSCOPE_SAMPLES "/gpt2_tiny.onnx"));
  Choices choices;
  choices.plans.level = 1;
  expect_peaks_of_studies(*compute_study(model, choices, nullptr, Progress()), {1, 5, 16});
}

TEST(Sweep, HasWhatAnAllocatorReservesForWholeStudies) {
  Choices choices;
  choices.plans.level = 1;
  const auto study = compute_study(test::named(test::blocks(3)), choices, nullptr, Progress());
  AllocatorSettings settings;
  settings.expandable_segments = true;
  const Values values = {1, 17, 4096, 50000};
  std::vector<SweepPoint> points;
  sweep(
      *study, study->sizes->dims.dimensions.front(), values,
      [&](const SweepPoint& point) { points.push_back(point); }, Progress(), settings);
  ASSERT_EQ(points.size(), values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto whole = resized(*study, values[i]);
    const auto reserved = [&](const Variant& variant) {
      return reserved_memory(*whole, variant, settings).reserved_bytes;
    };
    EXPECT_EQ(points[i].baseline_bytes, reserved(*whole->baseline)) << values[i];
    EXPECT_EQ(points[i].current_bytes, reserved(*whole->current)) << values[i];
    EXPECT_GT(points[i].current_bytes, whole->current->timeline.peak_bytes) << values[i];
  }
}

TEST(Sweep, SizesThatTheModelRefusesSayWhy) {
  test::ModelBuilder m;
  m.input("z", {1, 1, "H", 8}).weight("scales", {4}, {1, 1, 2, 2});
  const std::vector<std::int64_t> two = {2, 2};
  m.node("MaxPool", {"z"}, {"half"}, {{"kernel_shape", two}, {"strides", two}});
  m.node("Resize", {"half", "", "scales"}, {"doubled"});
  m.node("Add", {"z", "doubled"}, {"s"}).output("s");
  const auto study =
      compute_study(std::make_shared<const Graph>(m.build()), {}, nullptr, Progress());
  const auto& dimensions = study->sizes->dims.dimensions;
  const auto height = std::ranges::find(dimensions, "H", &Dimension::name);
  ASSERT_NE(height, dimensions.end());
  std::vector<SweepPoint> points;
  sweep(
      *study, *height, {4, 5, std::int64_t{1} << 62},
      [&](const SweepPoint& point) { points.push_back(point); }, Progress());
  EXPECT_EQ(points[0].fault, "");
  EXPECT_GT(points[0].current_bytes, 0);
  EXPECT_NE(points[1].fault.find("make_s"), std::string::npos) << points[1].fault;
  EXPECT_FALSE(points[2].fault.empty()) << "sizes beyond 64 bits";
}

TEST(Sweep, StopsWhenCancelled) {
  const auto study = compute_study(test::named(test::blocks(1)), {}, nullptr, Progress());
  const Progress progress;
  int found = 0;
  const std::string said = test::refusal(ErrorKind::cancelled, [&] {
    sweep(
        *study, study->sizes->dims.dimensions.front(), {1, 2, 3},
        [&](const SweepPoint&) {
          ++found;
          progress.cancel();
        },
        progress);
  });
  EXPECT_EQ(said, "cancelled");
  EXPECT_EQ(found, 1);
}

TEST(Sweep, IsTheSameWithAnotherSizeOfItsDimension) {
  const auto before = compute_study(test::named(test::blocks(1)), {}, nullptr, Progress());
  const auto after = resized(*before, 7);
  EXPECT_TRUE(have_same_sweep(*before, *after, "N"));
  EXPECT_FALSE(have_same_sweep(*before, *after, "M"));
  for (const bool is_search : {true, false}) {
    Choices choices = before->choices;
    choices.order.strategy = is_search ? "minimal" : "breadth-first";
    const auto ordered = compute_study(before->model, choices, nullptr, Progress());
    EXPECT_FALSE(have_same_sweep(*before, *ordered, "N"));
    EXPECT_EQ(have_same_sweep(*ordered, *resized(*ordered, 7), "N"), !is_search);
  }
}

TEST(SweepValues, AreDifferentAndHaveTheEnds) {
  EXPECT_EQ(sweep_values(1, 9, 3), (Values{1, 5, 9}));
  EXPECT_EQ(sweep_values(1, 3, 17), (Values{1, 2, 3}));
  EXPECT_EQ(sweep_values(4, 4, 5), (Values{4}));
  EXPECT_EQ(sweep_values(1, 8, 1), (Values{1}));
  EXPECT_EQ(sweep_values(5, 4, 3), Values{});
  EXPECT_EQ(sweep_values(1, 5, 0), Values{});
  for (int count = 2; count < 40; ++count) {
    const Values values = sweep_values(3, 1000, count);
    EXPECT_EQ(values.front(), 3);
    EXPECT_EQ(values.back(), 1000);
    EXPECT_EQ(std::ssize(values), count);
  }
}

TEST(SweepValues, CoarseFirstIsTheSameWithTheEndsInFront) {
  EXPECT_EQ(coarse_first({}), Values{});
  EXPECT_EQ(coarse_first({7}), (Values{7}));
  EXPECT_EQ(coarse_first({1, 2, 3, 4, 5}), (Values{1, 5, 3, 2, 4}));
  for (int count = 1; count < 70; ++count) {
    const Values values = sweep_values(1, 1000, count);
    Values order = coarse_first(values);
    std::ranges::sort(order);
    EXPECT_EQ(order, values);
  }
}

}  // namespace sweep_test
}  // namespace stashscope
