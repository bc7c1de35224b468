// The optimizer's part of the memory: states, released gradients, bands, phases.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "core/base/error.h"
#include "core/onnx/model_file.h"
#include "core/schedule/orders/orders.h"
#include "core/study/step/study.h"
#include "tests/support/model_builder.h"
#include "tests/support/small_models.h"

namespace stashscope {
namespace update_test {

namespace fs = std::filesystem;

std::shared_ptr<const Study> study_of(const std::shared_ptr<const Graph>& model,
                                      const UpdateChoice& update, Choices choices = {}) {
  choices.update = update;
  return compute_study(model, choices, nullptr, Progress());
}

std::shared_ptr<const Graph> shared(const test::ModelBuilder& model) {
  return std::make_shared<const Graph>(model.build());
}

/// y = x w with weights of half precision.
test::ModelBuilder half_precision() {
  test::ModelBuilder m;
  m.input("x", {"N", 8}, ElementType::float16);
  m.constant("w", Tensor(ElementType::float16, {8, 4}, std::string(64, '\0')));
  return m.node("MatMul", {"x", "w"}, {"y"}).output("y");
}

TEST(Update, StatesAddToEveryStepAndToThePeak) {
  const auto model = shared(test::perceptron());
  const auto plain = study_of(model, {});
  const auto momentum = study_of(model, {"momentum", false, false});
  const auto adam = study_of(model, {"adam", false, false});
  const std::int64_t parameters = plain->sizes->parameter_bytes;
  for (std::size_t i = 0; i < plain->current->timeline.live_bytes.size(); ++i) {
    const std::int64_t live = plain->current->timeline.live_bytes[i];
    EXPECT_EQ(momentum->current->timeline.live_bytes[i], live + parameters);
    EXPECT_EQ(adam->current->timeline.live_bytes[i], live + 2 * parameters);
  }
  EXPECT_EQ(adam->baseline->timeline.peak_bytes,
            plain->baseline->timeline.peak_bytes + 2 * parameters);
}

TEST(Update, SymbolicPeakCountsTheStates) {
  Choices choices;
  choices.dims["N"] = 7;
  for (const Optimizer& each : optimizers()) {
    const UpdateChoice update{std::string(each.name), true, false};
    for (const auto& model : {half_precision(), test::perceptron(2048)}) {
      const auto study = study_of(shared(model), update, choices);
      SymbolTable symbols = study->graph().symbols();
      const auto expr = parse_expr(peak_symbolic(*study, *study->current), symbols);
      ASSERT_TRUE(expr) << each.name;
      EXPECT_EQ(expr->evaluate(study->sizes->dims.bindings), study->current->timeline.peak_bytes)
          << each.name;
    }
  }
}

TEST(Update, MasterWeightsTakeFourBytesEach) {
  const auto model = shared(half_precision());
  const auto states = [&](const UpdateChoice& update) {
    return of(peak_bands(*study_of(model, update)->current), Band::optimizer_states);
  };
  EXPECT_EQ(states({"adam", false, false}), 32 * (2 + 2));
  EXPECT_EQ(states({"adam", true, false}), 32 * (4 + 4 + 4));
  EXPECT_EQ(states({"sgd", true, false}), 32 * 4);
}

TEST(Update, ChoicesThatChangeNothingAreSaid) {
  const auto says = [](const test::ModelBuilder& model, const UpdateChoice& update,
                       const char* word) {
    const auto warnings = study_of(shared(model), update)->warnings;
    return std::any_of(warnings.begin(), warnings.end(),
                       [&](const auto& each) { return each.find(word) != std::string::npos; });
  };
  EXPECT_TRUE(says(test::perceptron(), {"adam", true, false}, "no master weights"));
  EXPECT_TRUE(says(half_precision(), {"none", true, false}, "--optimizer"));
  EXPECT_FALSE(says(half_precision(), {"adam", true, false}, "master weights"));
  EXPECT_TRUE(says(half_precision(), {"adamw_stochastic", true, false}, "so none are kept"));
  EXPECT_FALSE(
      says(half_precision(), {"adamw_stochastic", true, false}, "no trained parameter is float16"));
  EXPECT_TRUE(says(half_precision(), {"adamw_stochastic", false, false}, "is bfloat16"))
      << "float16 is rounded as always";
  test::ModelBuilder fixed;
  fixed.input("x", {"N", 4}).node("Relu", {"x"}, {"y"}).output("y");
  EXPECT_TRUE(says(fixed, {"none", false, true}, "released"));
  EXPECT_TRUE(says(fixed, {"adam", false, false}, "keeps no states"));
  EXPECT_FALSE(says(fixed, {"sgd", false, false}, "keeps no states"));
}

TEST(Update, AnUnknownOptimizerIsRefused) {
  EXPECT_THROW(study_of(shared(test::perceptron()), {"other", false, false}), Error);
}

TEST(Update, ReleasedGradientsAreGoneInTheEnd) {
  const auto model = shared(test::deep_perceptron(4));
  const auto kept = study_of(model, {});
  const auto released = study_of(model, {"none", false, true});
  const auto after = [](const Study& study) { return memory_phases(*study.current).back(); };
  EXPECT_EQ(after(*kept).current_bytes - after(*released).current_bytes,
            kept->sizes->parameter_bytes);
  EXPECT_LE(after(*released).maximum_bytes, after(*kept).maximum_bytes);
}

TEST(Update, PhasesAreThoseOfTheStep) {
  const auto study = study_of(shared(test::perceptron()), {});
  const auto phases = memory_phases(*study->current);
  ASSERT_EQ(phases.size(), 4U);
  const BandBytes& first = study->current->bands.front();
  EXPECT_EQ(phases[0].current_bytes, of(first, Band::parameters) + of(first, Band::constants));
  EXPECT_EQ(phases[3].maximum_bytes, study->current->timeline.peak_bytes);
}

class SmallModelBands : public testing::TestWithParam<std::string> {};

TEST_P(SmallModelBands, AddUpAtEveryStepUnderAllChoices) {
  const fs::path file = fs::path(STASHSCOPE_SHARED "/models/small") / GetParam() / "model.onnx";
  if (!fs::exists(file)) GTEST_SKIP() << file << " is not there";
  const auto model = std::make_shared<const Graph>(load_model(file));
  std::shared_ptr<const Study> study;
  for (const int level : {0, 1, 2}) {
    for (const OrderStrategy& order : order_strategies()) {
      if (order.kind == OrderKind::search) continue;
      for (const UpdateChoice& update : {UpdateChoice{}, UpdateChoice{"adam", true, true}}) {
        Choices choices;
        choices.plans.level = level;
        choices.order.strategy = order.name;
        choices.update = update;
        study = compute_study(model, choices, study.get(), Progress());
        const Variant& variant = *study->current;
        EXPECT_EQ(stacked(variant.bands, Band::workspace), variant.timeline.live_bytes);
        for (const BandBytes& each : variant.bands) {
          EXPECT_GE(*std::min_element(each.begin(), each.end()), 0);
        }
        EXPECT_GT(of(variant.bands[variant.forward_slots - 1], Band::stashed), 0);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Files, SmallModelBands, testing::ValuesIn(test::small_models()),
                         [](const auto& info) { return info.param; });

}  // namespace update_test
}  // namespace stashscope
