// A loss over labelled positions only equals the loss over all positions; its gradients do, too.

#include <gtest/gtest.h>

#include <bit>
#include <random>

#include "core/passes/graph_pass.h"
#include "core/run/step/random_inputs.h"
#include "model_run.h"
#include "tests/support/model_builder.h"

namespace stashscope {
namespace label_positions_test {

using testing_run::ModelStep;

constexpr std::int64_t ignored = -7;

Graph language_model() {
  test::ModelBuilder m;
  m.input("x", {"B", "S", 8}).input("labels", {"B", "S"}, ElementType::int64);
  std::vector<float> numbers(8 * 8 + 8 * 20);
  std::mt19937 random(1);
  for (float& number : numbers) number = std::uniform_real_distribution<float>(-1, 1)(random);
  m.weight("w1", {8, 8}, {numbers.begin(), numbers.begin() + 64});
  m.weight("w2", {8, 20}, {numbers.begin() + 64, numbers.end()}).weight("bias", {20});
  m.weight("scale", {8}, std::vector<float>(8, 1)).int64s("flat", {-1, 20}).int64s("one", {-1});
  m.node("MatMul", {"x", "w1"}, {"h"}).node("Gelu", {"h"}, {"g"}, {}, "com.microsoft");
  m.node("Add", {"g", "x"}, {"r"}).node("LayerNormalization", {"r", "scale"}, {"n"});
  m.node("MatMul", {"n", "w2"}, {"p"}).node("Add", {"p", "bias"}, {"a"});
  m.node("Reshape", {"a", "flat"}, {"scores"}).node("Reshape", {"labels", "one"}, {"targets"});
  m.node("SoftmaxCrossEntropyLoss", {"scores", "targets"}, {"loss"}, {{"ignore_index", ignored}});
  return m.output("loss").build();
}

/// Labels of 2 x 5 positions.
Tensor labels(const std::vector<std::int64_t>& items) {
  const auto* const raw = reinterpret_cast<const char*>(items.data());
  return {ElementType::int64, {2, 5}, std::string(raw, items.size() * sizeof(std::int64_t))};
}

NamedTensors given(const std::vector<std::int64_t>& items) {
  const Graph model = language_model();
  Bindings dims(model.symbols().size());
  for (std::size_t i = 0; i < dims.size(); ++i) dims[SymbolId(i)] = i == 0 ? 2 : 5;
  return with_random_inputs(model, dims, {{"labels", labels(items)}}, 3);
}

PassSelection moves() { return {{"label_positions", "move_upstream"}, ElementType::undefined, {}}; }

void expect_the_same(const std::vector<std::int64_t>& items) {
  const NamedTensors inputs = given(items);
  const ModelStep whole(prepare_training_step(language_model(), {}), inputs);
  ModelStep chosen(prepare_training_step(language_model(), {}, moves()), inputs);
  const RunResult expected = testing_run::run_on_cpu(whole.default_plan(), inputs);
  const RunResult result = testing_run::run_on_cpu(chosen.default_plan(), inputs);
  const auto labelled = std::count_if(items.begin(), items.end(),
                                      [](std::int64_t label) { return label != ignored; });
  EXPECT_EQ(result.measurement.data_dependent,
            (std::map<std::string, std::int64_t>{{"labelled_positions_output_dim1", labelled}}));
  chosen.take_sizes(result.measurement.data_dependent);
  const RunPlan plan = chosen.default_plan();
  EXPECT_EQ(largest_difference(result.measurement.live_bytes, plan.timeline.live_bytes), 0);
  ASSERT_EQ(result.outputs.size(), 5U) << "the loss and four gradients";
  for (const auto& [name, tensor] : expected.outputs) {
    const Difference found = testing_run::difference(result.outputs.at(name), tensor);
    EXPECT_LE(found.largest, 1e-6 * found.largest_value) << name;
  }
}

TEST(LabelPositions, GiveTheSameLossAndGradients) {
  expect_the_same({1, ignored, ignored, 19, ignored, 0, ignored, ignored, ignored, 7});
  expect_the_same({1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
}

TEST(LabelPositions, WithoutALabelTheLossIsNoNumberEitherWay) {
  const NamedTensors inputs = given(std::vector<std::int64_t>(10, ignored));
  for (const PassSelection& passes : {PassSelection(), moves()}) {
    const ModelStep step(prepare_training_step(language_model(), {}, passes), inputs);
    const RunResult result = testing_run::run_on_cpu(step.default_plan(), inputs);
    EXPECT_TRUE(std::isnan(result.outputs.at("loss").reals()->at(0)));
  }
}

}  // namespace label_positions_test
}  // namespace stashscope
