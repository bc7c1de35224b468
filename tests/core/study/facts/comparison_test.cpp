// Comparison of two studies: the differences, their sizes, and what only one of them has.

#include "core/study/facts/comparison.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/onnx/captured_step_reader.h"
#include "tests/support/captured_model.h"
#include "tests/support/named_model.h"

namespace stashscope {
namespace comparison_test {

std::shared_ptr<const Study> study_of(int layers, const std::string& plans = "",
                                      std::int64_t batch = 4) {
  Choices choices;
  choices.dims["N"] = batch;
  if (!plans.empty()) choices.plans.config = parse_config(plans);
  test::ModelBuilder model = test::deep_perceptron(layers);
  return compute_study(std::make_shared<const Graph>(model.build()), choices, nullptr, Progress());
}

std::string first_plan() {
  const auto study = study_of(4);
  if (study->plan_table->plans.empty()) throw std::runtime_error("the model has no plans");
  return study->plan_table->plans.front().config;
}

const ComparisonRow& row_of(const std::vector<ComparisonRow>& rows, ComparisonGroup group,
                            const std::string& name) {
  const auto row = std::find_if(rows.begin(), rows.end(), [&](const ComparisonRow& each) {
    return each.group == group && each.name == name;
  });
  if (row == rows.end()) throw std::runtime_error("no row " + name);
  return *row;
}

TEST(ComparisonRow, AChangeTooSmallForItsPercentageIsNeitherMoreNorLess) {
  ComparisonRow row{
      ComparisonGroup::memory, "peak", Quantity::bytes, {"1 GiB", 1e9}, {"1 GiB", 1e9 - 100}};
  EXPECT_EQ(row.difference(), "−100 B (±0 %)");
  row.right.number = 1e9 + 100;
  EXPECT_EQ(row.difference(), "+100 B (±0 %)");
}

TEST(Comparison, AStudyIsTheSameAsItself) {
  const auto study = study_of(4, first_plan());
  const auto rows = compare(*study, *study);
  EXPECT_GT(rows.size(), 30U);
  for (const ComparisonRow& row : rows) {
    EXPECT_FALSE(row.differs()) << row.name;
    EXPECT_EQ(row.difference(), "") << row.name;
  }
}

TEST(Comparison, TellsWhatAPlanChanges) {
  const auto without = study_of(4);
  const auto with = study_of(4, first_plan());
  const auto rows = compare(*without, *with);
  const ComparisonRow& peak = row_of(rows, ComparisonGroup::memory, "peak");
  EXPECT_EQ(peak.left.number, static_cast<double>(without->current->timeline.peak_bytes));
  EXPECT_EQ(peak.right.number, static_cast<double>(with->current->timeline.peak_bytes));
  EXPECT_FALSE(row_of(rows, ComparisonGroup::memory, "peak without plans").differs());
  const ComparisonRow& plan = row_of(rows, ComparisonGroup::plans, first_plan());
  EXPECT_TRUE(plan.only_right());
  EXPECT_FALSE(plan.right.text.empty());
  EXPECT_TRUE(row_of(rows, ComparisonGroup::time, "step").differs());
  EXPECT_FALSE(row_of(rows, ComparisonGroup::model, "forward nodes").differs());
}

TEST(Comparison, BandsOfEachSideAddUpToItsPeak) {
  const auto rows = compare(*study_of(4), *study_of(6, "", 16));
  double left = 0;
  double right = 0;
  for (const ComparisonRow& row : rows) {
    if (row.group != ComparisonGroup::memory || !row.name.ends_with(" at the peak")) continue;
    left += row.left.number.value_or(0);
    right += row.right.number.value_or(0);
  }
  const ComparisonRow& peak = row_of(rows, ComparisonGroup::memory, "peak");
  EXPECT_EQ(left, peak.left.number);
  EXPECT_EQ(right, peak.right.number);
}

TEST(Comparison, NumbersDifferByAmountAndShare) {
  const auto rows = compare(*study_of(4), *study_of(4, "", 6));
  const ComparisonRow& batch = row_of(rows, ComparisonGroup::choices, "N");
  EXPECT_EQ(batch.left.text, "4");
  EXPECT_EQ(batch.right.text, "6");
  EXPECT_EQ(batch.difference(), "+2 (+50.0 %)");
  const auto back = compare(*study_of(4, "", 6), *study_of(4));
  EXPECT_EQ(row_of(back, ComparisonGroup::choices, "N").difference(), "−2 (−33.3 %)");
}

TEST(Comparison, SidesSwap) {
  const auto a = study_of(4);
  const auto b = study_of(6, first_plan(), 16);
  const auto rows = compare(*a, *b);
  const auto swapped = compare(*b, *a);
  ASSERT_EQ(rows.size(), swapped.size());
  for (const ComparisonRow& row : rows) {
    const ComparisonRow& other = row_of(swapped, row.group, row.name);
    EXPECT_EQ(row.left, other.right) << row.name;
    EXPECT_EQ(row.right, other.left) << row.name;
  }
}

TEST(Comparison, TensorsOfOneSideOnlyAreMarked) {
  const auto rows = compare(*study_of(2), *study_of(6));
  bool any_only_right = false;
  double last = 1e300;
  for (const ComparisonRow& row : rows) {
    if (row.group != ComparisonGroup::tensors) continue;
    const double larger = std::max(row.left.number.value_or(0), row.right.number.value_or(0));
    EXPECT_LE(larger, last) << "largest first";
    last = larger;
    EXPECT_FALSE(row.left.text.empty() && row.right.text.empty());
    any_only_right = any_only_right || row.only_right();
    EXPECT_FALSE(row.only_right() && row.only_left());
  }
  EXPECT_TRUE(any_only_right) << "the deeper model has more weights";
}

/// A captured step, with other numbers in the names of its tensors and another node before them.
std::shared_ptr<const Study> captured_study(const std::string& suffix) {
  GraphData data = test::captured_data();
  for (Value& value : data.values) {
    if (value.name == "product" || value.name == "flat") value.name += suffix;
  }
  read_captured_step(data);
  return compute_study(std::make_shared<const Graph>(std::move(data)), Choices(), nullptr,
                       Progress());
}

TEST(Comparison, TensorsOfCapturesAreMatchedByTheirMakers) {
  const auto rows = compare(*captured_study("_934"), *captured_study("_928"));
  const ComparisonRow& product =
      row_of(rows, ComparisonGroup::tensors, "product_934 / product_928");
  EXPECT_EQ(product.left, product.right);
  for (const ComparisonRow& row : rows) {
    const bool is_tensor = row.group == ComparisonGroup::tensors;
    EXPECT_FALSE(is_tensor && (row.only_left() || row.only_right())) << row.name;
  }
}

TEST(Comparison, PlansHaveWords) {
  const auto rows = compare(*study_of(4), *study_of(4, first_plan()));
  const ComparisonRow& plan = row_of(rows, ComparisonGroup::plans, first_plan());
  EXPECT_NE(plan.title(), plan.name);
  EXPECT_FALSE(plan.words.empty());
  EXPECT_EQ(row_of(rows, ComparisonGroup::memory, "peak").title(), "peak");
}

TEST(Comparison, SizesThatDifferAreThoseOfTheLeft) {
  EXPECT_EQ(sizes_that_differ(*study_of(2, "", 4), *study_of(2, "", 6)), (SizeChoices{{"N", 4}}));
  EXPECT_TRUE(sizes_that_differ(*study_of(2), *study_of(6)).empty());
}

TEST(Comparison, AGraphWithoutNodesCanBeCompared) {
  test::ModelBuilder model;
  model.input("x", {"N", 2}).output("x");
  const auto empty =
      compute_study(std::make_shared<const Graph>(model.build()), Choices(), nullptr, Progress());
  EXPECT_TRUE(row_of(compare(*empty, *study_of(2)), ComparisonGroup::memory, "peak").differs());
}

}  // namespace comparison_test
}  // namespace stashscope
