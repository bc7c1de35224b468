#include "core/study/search/largest_fit.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "core/onnx/model_file.h"
#include "core/study/search/largest_value.h"
#include "core/study/step/later_steps.h"
#include "tests/support/captured_chain.h"
#include "tests/support/model_builder.h"
#include "tests/support/named_model.h"
#include "tests/support/refusal.h"

namespace stashscope {
namespace largest_fit_test {

using test::ModelBuilder;

std::shared_ptr<const Study> study_of(const std::shared_ptr<const Graph>& model,
                                      const Choices& choices = {}) {
  return compute_study(model, choices, nullptr, Progress());
}

std::shared_ptr<const Study> study_of(const ModelBuilder& model, const Choices& choices = {}) {
  return study_of(std::make_shared<const Graph>(model.build()), choices);
}

LargestFit fit_of(const Study& study, const std::vector<std::string>& names, std::int64_t memory) {
  return largest_fit(study, {"", names, memory}, Progress());
}

/// y = Relu(x), both of 4 N floats; x is persistent, y is live while it is computed.
ModelBuilder relu() {
  ModelBuilder m;
  return m.input("x", {"N", 4}).node("Relu", {"x"}, {"y"}).output("y");
}

TEST(LargestFit, IsWhatArithmeticSays) {
  const auto study = study_of(relu());
  for (const std::int64_t memory : {32, 63, 64, 3199, 3200, 3201}) {
    const LargestFit fit = fit_of(*study, {"N"}, memory);
    ASSERT_TRUE(fit.baseline.largest);
    EXPECT_EQ(fit.baseline.largest->value, memory / 32);
    EXPECT_EQ(fit.baseline.largest->peak_bytes, memory / 32 * 32);
    EXPECT_EQ(fit.baseline.largest->persistent_bytes, memory / 32 * 16);
    ASSERT_TRUE(fit.baseline.next);
    EXPECT_EQ(fit.baseline.next->value, memory / 32 + 1);
    EXPECT_EQ(fit.baseline.next->peak_bytes, (memory / 32 + 1) * 32);
    EXPECT_FALSE(fit.baseline.refused_value);
    EXPECT_GT(fit.baseline.largest->seconds, 0);
  }
}

TEST(LargestFit, NothingFits) {
  const LargestFit fit = fit_of(*study_of(relu()), {"N"}, 31);
  EXPECT_FALSE(fit.current.largest);
  ASSERT_TRUE(fit.current.next);
  EXPECT_EQ(fit.current.next->value, 1);
  EXPECT_EQ(fit.current.next->peak_bytes, 32);
  EXPECT_EQ(fit.current.next->persistent_bytes, 16);
}

TEST(LargestFit, SizesBeyond64BitsFail) {
  const LargestFit fit = fit_of(*study_of(relu()), {"N"}, std::numeric_limits<std::int64_t>::max());
  EXPECT_TRUE(fit.baseline.is_unlimited) << "2^40 rows are 32 TiB";
  ModelBuilder wide;
  wide.input("x", {"N", "N"}).node("Relu", {"x"}, {"y"}).output("y");
  const LargestFit square =
      fit_of(*study_of(wide), {"N"}, std::numeric_limits<std::int64_t>::max());
  ASSERT_TRUE(square.baseline.next);
  EXPECT_FALSE(square.baseline.next->fault.empty());
  EXPECT_EQ(square.baseline.next->variant, nullptr);
}

/// x[H, 8] is halved, doubled again and added to itself, so H must be even.
ModelBuilder halved_and_doubled() {
  ModelBuilder m;
  const std::vector<std::int64_t> two = {2, 2};
  m.input("x", {1, 1, "H", 8}).weight("scales", {4}, {1, 1, 2, 2});
  m.node("MaxPool", {"x"}, {"half"}, {{"kernel_shape", two}, {"strides", two}});
  m.node("Resize", {"half", "", "scales"}, {"doubled"});
  return m.node("Add", {"x", "doubled"}, {"y"}).output("y");
}

TEST(LargestFit, ValuesThatTheModelRefusesAreSteppedOver) {
  const auto study = study_of(halved_and_doubled());
  const LargestFit fit = fit_of(*study, {"H"}, 10000);
  // x, the doubled tensor and the sum take 32 bytes per row each; the scales come on top.
  EXPECT_EQ(fit.baseline.largest->value, (10000 - 16) / 96 / 2 * 2);
  EXPECT_EQ(fit.baseline.next->value, fit.baseline.largest->value + 2);
  EXPECT_EQ(fit.baseline.refused_value, fit.baseline.largest->value + 1);
  EXPECT_NE(fit.baseline.refusal.find("make_y"), std::string::npos) << fit.baseline.refusal;
}

/// Reads a table of 8 rows up to the length of x.
TEST(LargestFit, TheModelMayEndBeforeTheMemoryDoes) {
  ModelBuilder m;
  m.input("x", {"N", 4}).weight("table", {8, 4}).int64s("zero", {0}).int64s("one", {1});
  m.node("Shape", {"x"}, {"sizes"}).node("Slice", {"sizes", "zero", "one"}, {"rows"});
  m.node("Slice", {"table", "zero", "rows", "zero"}, {"part"});
  m.node("Add", {"x", "part"}, {"y"}).output("y");
  const LargestFit fit = fit_of(*study_of(m), {"N"}, 1 << 20);
  ASSERT_TRUE(fit.baseline.largest);
  EXPECT_EQ(fit.baseline.largest->value, 8);
  EXPECT_FALSE(fit.baseline.next);
  EXPECT_EQ(fit.baseline.refused_value, 9);
}

TEST(LargestFit, ADimensionThatNoSizeDependsOnHasNoLimit) {
  ModelBuilder m;
  m.input("x", {"N", 4}).node("Shape", {"x"}, {"y"}).output("y");
  m.weight("w", {4, 4}).node("Relu", {"w"}, {"z"}).output("z").input("extra", {"M", 0});
  const auto study = study_of(m);
  const LargestFit fit = fit_of(*study, {"M"}, 1 << 20);
  EXPECT_TRUE(fit.current.is_unlimited);
  EXPECT_FALSE(fit.current.next);
}

TEST(LargestFit, TiedDimensionsTakeOneValue) {
  ModelBuilder m;
  m.input("x", {"A", 4}).input("z", {"B", 4});
  m.node("Relu", {"x"}, {"y"}).node("Relu", {"z"}, {"v"}).output("y").output("v");
  const LargestFit fit = fit_of(*study_of(m), {"A", "B"}, 6400);
  ASSERT_TRUE(fit.baseline.largest);
  EXPECT_EQ(fit.dimensions.size(), 2U);
  EXPECT_EQ(fit.baseline.largest->value, 100) << "64 bytes for each";
  EXPECT_EQ(fit_of(*study_of(m), {"*"}, 6400).baseline.largest->value, 100);
}

TEST(LargestFit, NamesThatCannotBeChosenAreRefused) {
  const auto study = study_of(relu());
  const auto refusal = [&](const std::string& name) {
    return test::refusal(ErrorKind::usage, [&] { fit_of(*study, {name}, 1000); });
  };
  EXPECT_NE(refusal("batch").find("the model has N"), std::string::npos);
  ModelBuilder fixed;
  fixed.input("x", {"N", 4}).input("z", {4, 4});
  fixed.node("MatMul", {"z", "x"}, {"y"}).output("y");
  const auto with_fixed = study_of(fixed);
  const std::string text =
      test::refusal(ErrorKind::usage, [&] { fit_of(*with_fixed, {"N"}, 1000); });
  EXPECT_NE(text.find("fixed value 4"), std::string::npos) << text;
}

TEST(LargestFit, TheQuestionIsRead) {
  EXPECT_EQ(parse_fit("N").names, std::vector<std::string>{"N"});
  const FitQuestion question = parse_fit("batch=A,B");
  EXPECT_EQ(question.label, "batch");
  EXPECT_EQ(question.names, (std::vector<std::string>{"A", "B"}));
  for (const char* text : {"", "=", "batch=", "=N", "A,,B"}) {
    test::refusal(ErrorKind::usage, [&] { parse_fit(text); });
  }
}

TEST(LargestFit, CanBeCancelled) {
  const auto study = study_of(relu());
  const Progress progress;
  progress.cancel();
  test::refusal(ErrorKind::cancelled, [&] { largest_fit(*study, {"", {"N"}, 1000}, progress); });
}

/// Compares with the peaks of studies of every value up to `most`.
void expect_as_tried(const std::shared_ptr<const Graph>& model, Choices choices,
                     std::int64_t memory, std::int64_t most) {
  const auto study = study_of(model, choices);
  const LargestFit fit = fit_of(*study, {"N"}, memory);
  std::int64_t before = 0;
  std::int64_t after = 0;
  for (std::int64_t value = 1; value <= most; ++value) {
    choices.dims["N"] = value;
    const auto tried = compute_study(model, choices, study.get(), Progress());
    if (tried->baseline->timeline.peak_bytes <= memory) before = value;
    if (tried->current->timeline.peak_bytes <= memory) after = value;
  }
  ASSERT_TRUE(fit.baseline.largest && fit.current.largest);
  EXPECT_LT(after, most) << "the test tries too few values";
  EXPECT_EQ(fit.baseline.largest->value, before) << memory;
  EXPECT_EQ(fit.current.largest->value, after) << memory;
  EXPECT_EQ(fit.baseline.next->value, before + 1);
  EXPECT_EQ(fit.current.next->value, after + 1);
}

TEST(LargestFit, IsWhatTryingEveryValueFinds) {
  const auto model = test::named(test::blocks(3));
  for (const std::int64_t memory : {30000, 60000, 90001}) {
    Choices choices;
    choices.plans.level = 1;
    expect_as_tried(model, choices, memory, 260);
    choices.update.optimizer = "adam";
    choices.order.strategy = "best";
    expect_as_tried(model, choices, memory, 260);
    choices.order.strategy = "bytes-freed";
    choices.fusion.strategy = "memory-aware";
    expect_as_tried(model, choices, memory, 260);
  }
}

TEST(LargestFit, PlansMakeRoomForMore) {
  const auto model = std::make_shared<const Graph>(test::deep_perceptron(8).build());
  Choices choices;
  choices.plans.config = config_of_all(*study_of(model)->opportunities, false);
  const LargestFit fit = fit_of(*study_of(model, choices), {"N"}, 100000);
  ASSERT_TRUE(fit.baseline.largest && fit.current.largest);
  EXPECT_GT(fit.current.largest->value, fit.baseline.largest->value);
  for (const std::int64_t memory : {20000, 100000, 150001}) {
    expect_as_tried(model, choices, memory, 400);
  }
}

TEST(LargestFit, ASearchedOrderIsNotWorseThanTheFiles) {
  const auto model = test::named(test::blocks(2));
  Choices choices;
  choices.order.strategy = "minimal";
  const LargestFit fit = fit_of(*study_of(model, choices), {"N"}, 100000);
  ASSERT_TRUE(fit.baseline.largest && fit.current.largest);
  EXPECT_GE(fit.current.largest->value, fit.baseline.largest->value);
  EXPECT_LE(fit.current.largest->peak_bytes, 100000);
  EXPECT_GT(fit.current.next->peak_bytes, 100000);
}

TEST(LargestFit, NeighboursOfTheAnswerForGpt2) {
  const std::filesystem::path path =
      std::filesystem::path(STASHSCOPE_SHARED) / "models/full/gpt2_124m_train_fwd.onnx";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not there";
  const auto model = std::make_shared<const Graph>(load_model(path));
  constexpr const char* batch = "inputs_input_ids_dim0";
  constexpr std::int64_t memory = std::int64_t{16} << 30;
  Choices choices;
  choices.plans.level = 1;
  choices.update.optimizer = "adam";
  const auto study = study_of(model, choices);
  const LargestFit fit = fit_of(*study, {batch}, memory);
  ASSERT_TRUE(fit.baseline.largest && fit.baseline.next);
  ASSERT_TRUE(fit.current.largest && fit.current.next);
  const auto peaks = [&](std::int64_t value) {
    choices.dims[batch] = value;
    const auto tried = compute_study(model, choices, study.get(), Progress());
    return std::pair(tried->baseline->timeline.peak_bytes, tried->current->timeline.peak_bytes);
  };
  EXPECT_EQ(peaks(fit.baseline.largest->value).first, fit.baseline.largest->peak_bytes);
  EXPECT_EQ(peaks(fit.baseline.next->value).first, fit.baseline.next->peak_bytes);
  EXPECT_EQ(peaks(fit.current.largest->value).second, fit.current.largest->peak_bytes);
  EXPECT_EQ(peaks(fit.current.next->value).second, fit.current.next->peak_bytes);
  EXPECT_EQ(fit.baseline.next->value, fit.baseline.largest->value + 1);
  EXPECT_EQ(fit.current.next->value, fit.current.largest->value + 1);
  EXPECT_LE(fit.current.largest->peak_bytes, memory);
  EXPECT_GT(fit.current.next->peak_bytes, memory);
}

TEST(LargestFit, ACapturedStepNamesTheDimensionThatCountsSamples) {
  for (const auto& [name, counts] :
       {std::pair("batch", true), {"Batch_size", true}, {"n", false}}) {
    const auto study = test::captured_study(test::chain_with_batch(name));
    EXPECT_EQ(counts_samples(*study, study->sizes->dims.dimensions.front()), counts) << name;
    const auto question = samples_question(*study);
    ASSERT_TRUE(question) << "the only dimension";
    EXPECT_EQ(question->names, std::vector<std::string>{name});
  }
  GraphData two = test::chain_with_batch();
  two.metadata["stashscope.dimensions"] =
      R"([{"name":"sequence","value":8,"step":1},{"name":"batch","value":64,"step":1}])";
  EXPECT_EQ(samples_question(*test::captured_study(two))->names, std::vector<std::string>{"batch"});
  EXPECT_FALSE(samples_question(*test::captured_study(test::CapturedChain(2).data())));
}

/// The order of a file would have no state of the random generator at the peak.
TEST(LargestFit, ACapturedStepKeepsTheOrderOfPyTorch) {
  const auto study = test::captured_study(test::chain_with_batch(), "net.*:5:2");
  const auto there = [&](std::int64_t batch) {
    Choices choices = study->choices;
    choices.dims["batch"] = batch;
    return compute_study(study->model, choices, study.get(), Progress());
  };
  const auto hundred = there(100);
  const std::int64_t memory = later_steps(*hundred, *hundred->current).peak_bytes;
  const VariantFit fit = fit_of(*study, {"batch"}, memory).current;
  ASSERT_TRUE(fit.largest && fit.next);
  EXPECT_EQ(fit.largest->value, 100);
  EXPECT_EQ(fit.largest->peak_bytes, hundred->current->timeline.peak_bytes);
  EXPECT_EQ(fit.next->peak_bytes, there(101)->current->timeline.peak_bytes);
}

TEST(LargestFit, HoldsForTheSizesThatWereAsked) {
  const auto study = study_of(relu());
  const LargestFit fit = fit_of(*study, {"N"}, 3200);
  Choices choices = study->choices;
  choices.dims["N"] = 100;
  choices.device = "cpu";
  EXPECT_TRUE(fit_holds(*study, fit, *study_of(study->model, choices)));
  choices.order.strategy = "minimal";
  EXPECT_FALSE(fit_holds(*study, fit, *study_of(study->model, choices)));
  EXPECT_FALSE(fit_holds(*study, fit, *study_of(relu()))) << "of another model";
}

}  // namespace largest_fit_test
}  // namespace stashscope
